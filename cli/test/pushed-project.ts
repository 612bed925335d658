import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedInProcess } from '@assay/testing/sharing';
import { expect } from 'vitest';
import { runAssay } from './command.ts';
import { runInProcess } from './in-process.ts';

const templateName = 'The example of init';

/** A folder with what `assay init` writes. */
const template = sharedInProcess(
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-init-'));
    const { exitCode, stderr } = await runAssay(['init', '--project', templateName], { folder });
    expect(exitCode, stderr).toBe(0);
    return folder;
  },
  (folder) => rm(folder, { recursive: true }),
);

/** Writes the files of `assay init` into a folder, for a project of this name; the path of the first. */
export async function writeProject({
  folder,
  name,
}: {
  folder: string;
  name: string;
}): Promise<string> {
  await cp(await template(), folder, { recursive: true });
  const file = join(folder, 'assay.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(JSON.stringify(templateName), JSON.stringify(name)));
  return file;
}

/**
 * Writes the same, and pushes it in this process. Two others for each test would take longer than
 * most tests do.
 */
export async function pushProject({
  url,
  key,
  ...where
}: {
  url: string;
  key: string;
  folder: string;
  name: string;
}): Promise<void> {
  const file = await writeProject(where);
  const pushed = await runInProcess(['push', '--file', file, '--create-project'], { url, key });
  expect(pushed.exitCode, pushed.stderr).toBe(0);
}
