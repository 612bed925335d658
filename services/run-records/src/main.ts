import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { runRecordsConfig } from './config.ts';
import { start } from './service.ts';

await run({ config: () => readConfig(runRecordsConfig), start });
