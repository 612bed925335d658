import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { metricsConfig, start } from './service.ts';

await run({ config: () => readConfig(metricsConfig), start });
