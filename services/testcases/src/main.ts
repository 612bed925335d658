import { readConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { start, testcasesConfig } from './service.ts';

await run({ config: () => readConfig(testcasesConfig), start });
