import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contracts } from '@assay/contracts/all';
import { createOpenApi } from '@assay/gateway/openapi';
import { describeEvaluatorsPage } from './evaluators.ts';
import { describeJudgeTemplatesPage } from './judge-templates.ts';
import { describeMessages } from './messages.ts';
import { describePermissions } from './permissions.ts';
import { certaintyPicture } from './pictures/certainty.ts';
import { coinsPicture } from './pictures/coins.ts';
import { judgePicture } from './pictures/judge.ts';
import { createSeccompProfile } from './seccomp.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The text of each file that is generated from the contracts and permissions, the evaluators, the ready-made judges and the sandbox's list
 * of system calls, by its path.
 */
export const generated: Record<string, () => string> = {
  'docs/openapi.json': () => `${JSON.stringify(createOpenApi(contracts), null, 2)}\n`,
  'docs/events.md': () => describeMessages(contracts),
  'docs/permissions.md': describePermissions,
  'docs/evaluators.md': describeEvaluatorsPage,
  'docs/judge-templates.md': describeJudgeTemplatesPage,
  'docs/pictures/coins.svg': coinsPicture,
  'docs/pictures/certainty.svg': certaintyPicture,
  'docs/pictures/judge.svg': judgePicture,
  'deploy/seccomp.json': () => `${JSON.stringify(createSeccompProfile(), null, 2)}\n`,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, make] of Object.entries(generated)) {
    writeFileSync(join(root, name), make());
    process.stdout.write(`${name}\n`);
  }
}
