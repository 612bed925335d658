import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { cutChangelog } from './changelog.ts';
import { checkRelease } from './checks.ts';
import { recordContracts } from './contracts.ts';
import type { Git } from './git.ts';
import { setVersion } from './versions.ts';

interface ReleaseOptions {
  root: string;
  version: string;
  /** The day of the release, `2026-11-26`. */
  date: string;
  git: Git;
  /** Writes the documents that are made from the code, with the new version. */
  generate: () => Promise<void>;
  /** Builds the packages and images of the commit. */
  makeArtifacts: (revision: string) => Promise<void>;
  say: (line: string) => void;
}

/**
 * Makes a release of the working tree at `root`: writes its version, changes, contracts and
 * documents, commits them, builds packages and images, and sets the tag.
 * @throws Refusal where it cannot be made, before anything is changed.
 */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, version, git, makeArtifacts, say } = options;
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  checkRelease({
    version,
    current: JSON.parse(read('package.json')).version,
    changes: git.changes(),
    tags: git.tags(),
    changelog: read('CHANGELOG.md'),
  });
  const before = git.head();
  try {
    await writeRelease(options);
    const revision = git.commit(`Release ${version}`);
    say(`Committed: Release ${version}, ${revision}`);
    await makeArtifacts(revision);
    git.tag(`v${version}`, `Assay ${version}`);
  } catch (error) {
    say(`The release is not finished. To take back what was changed: git reset --hard ${before}`);
    throw error;
  }
  say(
    `Assay ${version} is released here. To publish the commit and the tag v${version}: git push --follow-tags`,
  );
}

async function writeRelease({ root, version, date, generate, say }: ReleaseOptions): Promise<void> {
  const files = setVersion(root, version);
  say(`The version ${version} is written to ${files.length} files.`);
  const changelog = join(root, 'CHANGELOG.md');
  writeFileSync(changelog, cutChangelog(readFileSync(changelog, 'utf8'), version, date));
  say(`CHANGELOG.md: ${version} (${date})`);
  const folders = readdirSync(join(root, 'services')).filter((name) =>
    existsSync(join(root, 'services', name, 'package.json')),
  );
  writeFileSync(
    join(root, 'docs/released-contracts.json'),
    recordContracts({ version, contracts, folders }),
  );
  say(`docs/released-contracts.json: the contracts of ${folders.length} services`);
  await generate();
}
