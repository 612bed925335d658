import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { start, transfersConfig } from './service.ts';

await run({ config: () => readConfig(transfersConfig), start });
