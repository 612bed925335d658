import { readConfig, serviceConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { start } from './service.ts';

await run({ config: () => readConfig(serviceConfig), start });
