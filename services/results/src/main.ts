import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { resultsConfig, start } from './service.ts';

await run({ config: () => readConfig(resultsConfig), start });
