// `npm run release -- <version> [--source <address>]`: makes a release; CONTRIBUTING.md says how.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serviceNames } from '@assay/contracts/all';
import { generate, makeArtifacts } from './release/artifacts.ts';
import { createGit } from './release/git.ts';
import { release } from './release/release.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { source: { type: 'string' } },
  });
  const version = positionals[0] ?? '';
  await release({
    root,
    version,
    date: new Date().toISOString().slice(0, 10),
    git: createGit(root),
    generate: () => generate(root),
    makeArtifacts: (revision) =>
      makeArtifacts({
        root,
        version,
        revision,
        source: values.source,
        // The image of `admin` has the operator's commands.
        processes: [...serviceNames, 'gateway', 'mcp', 'admin'],
        say,
      }),
    say,
  });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
