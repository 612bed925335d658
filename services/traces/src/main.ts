import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { tracesConfig } from './config.ts';
import { start } from './service.ts';

await run({ config: () => readConfig(tracesConfig), start });
