import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { identityConfig, start } from './service.ts';

await run({ config: () => readConfig(identityConfig), start });
