import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contracts } from '@assay/contracts/all';
import { shapesOf } from './contract-shapes.ts';

// Run when a release is made, and at no other time: later contracts are compared with this one.
const version = process.argv[2];
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  process.stderr.write('Name the version: npm run release:contracts -- 0.2.0\n');
  process.exit(1);
}
const file = join(fileURLToPath(new URL('../docs', import.meta.url)), 'released-contracts.json');
writeFileSync(file, released(version!));
process.stdout.write('docs/released-contracts.json\n');

/**
 * Writes one line for each operation and message, so that the diff shows the changes of a release.
 */
function released(version: string): string {
  const lines = Object.entries(shapesOf(contracts)).map(([service, kinds]) => {
    const parts = Object.entries(kinds).map(([kind, named]) => {
      const each = Object.entries(named).map(
        ([name, shape]) => `   ${JSON.stringify(name)}: ${JSON.stringify(shape)}`,
      );
      return `  ${JSON.stringify(kind)}: {\n${each.join(',\n')}\n  }`;
    });
    return ` ${JSON.stringify(service)}: {\n${parts.join(',\n')}\n }`;
  });
  return `{\n"version": ${JSON.stringify(version)},\n"contracts": {\n${lines.join(',\n')}\n}\n}\n`;
}
