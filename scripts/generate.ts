import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contracts } from '@assay/contracts/all';
import { createOpenApi } from '@assay/gateway/openapi';
import { describeMessages } from './messages.ts';

const docs = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs');

/** The documents that are made from the contracts: the text of each, by its path in docs/. */
export const generated: Record<string, () => string> = {
  'openapi.json': () => `${JSON.stringify(createOpenApi(contracts), null, 2)}\n`,
  'events.md': () => describeMessages(contracts),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, make] of Object.entries(generated)) {
    writeFileSync(join(docs, name), make());
    process.stdout.write(`docs/${name}\n`);
  }
}
