import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { mcpConfig, start } from './server.ts';

await run({ config: () => readConfig(mcpConfig), start });
