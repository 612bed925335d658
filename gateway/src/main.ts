import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { gatewayConfig } from './config.ts';
import { start } from './gateway.ts';

await run({ config: () => readConfig(gatewayConfig), start });
