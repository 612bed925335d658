import { run } from '@assay/runtime/run';
import { readSessionsConfig } from './config.ts';
import { start } from './service.ts';

await run({ config: () => readSessionsConfig(), start });
