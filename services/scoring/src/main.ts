import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { scoringConfig, start } from './service.ts';

await run({ config: () => readConfig(scoringConfig), start });
