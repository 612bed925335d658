import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareInstallation } from '../../test/system/installation.ts';
import { commandsAt } from './command.ts';

let commands: ReturnType<typeof commandsAt>;
let folder: string;
let project: string;

beforeAll(async () => {
  const { url, key } = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-project-'));
  commands = commandsAt({ url, key, folder });
  const { create } = commands;
  project = await create('/projects', { name: 'Support', description: '' });
  const run = await create(`/projects/${project}/runs`, { metricIds: [] });
  await create(`/runs/${run}/records`, {
    inputs: {},
    expected: {},
    outputs: { n: 1 },
    sessionId: 'moved',
  });
  const guidelines = 'The answer is polite.';
  await commands.client.request('PUT', '/projects/:projectId/monitors', {
    params: { projectId: project },
    body: {
      description: 'Every answer',
      metrics: [guidelines],
    },
  });
});
afterAll(() => rm(folder, { recursive: true }));

const ask = (...args: string[]) => commands.ask(...args);
const askJson = (...args: string[]) => commands.askJson(...args);

/** Attaches a file to the session of the record; returns its id. */
async function attach(text: string): Promise<string> {
  const { client } = commands;
  const declared = await client.request('POST', '/attachments', {
    body: {
      sessionId: 'moved',
      filePath: 'answer.txt',
      sha256: createHash('sha256').update(text).digest('hex'),
      sizeBytes: text.length,
      contentType: 'text/plain',
    },
  });
  await fetch(declared.uploadUrl!, { method: 'PUT', body: text });
  await client.request('POST', '/attachments/:attachmentId/commit', {
    params: { attachmentId: declared.id },
  });
  return declared.id;
}

test('a whole project is exported to a file, and imported from it as another project', async () => {
  const output = join(folder, 'project.ndjson');
  expect(await askJson('export', 'Support', '--output', output)).toMatchObject({
    kind: 'project',
    id: project,
    bytes: (await stat(output)).size,
  });
  const imported = await askJson(
    'import',
    output,
    '--project',
    'Moved',
    '--report',
    join(folder, 'report.json'),
  );
  expect(imported.counts).toMatchObject({ project: 1, run: 1, record: 1, monitor: 1 });
  const moved = await commands.client.request('GET', '/projects/:projectId', {
    params: { projectId: imported.projectId },
  });
  expect(moved.name).toBe('Moved');
  const told = await ask('import', output);
  expect(told.stdout).toMatch(
    /^Imported the project [0-9a-f-]+: 1 runs, 1 records, 0 testcases\.\n$/,
  );
  expect(told.stderr).toContain('Monitors that came with it: 1, paused until you resume them.');
});

test('a project whose file was cut off is refused, and so are options that it does not take', async () => {
  const { stdout } = await ask('export', project);
  const file = join(folder, 'cut.ndjson');
  await writeFile(file, stdout.slice(0, -100));
  const cut = await ask('import', file);
  expect(cut).toMatchObject({ exitCode: 2, stdout: '' });
  expect(cut.stderr).toContain('Nothing was imported');
  const wrong = await ask('import', file, '--dry-run');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('is an exported project, which is imported as it is');
});

test('attachments come with the project where it was exported so, and else the import names those that are missing', async () => {
  const attachment = await attach('an answer');
  const [whole, listed] = [join(folder, 'whole.ndjson'), join(folder, 'listed.ndjson')];
  await askJson('export', project, '--attachments', '--output', whole);
  await askJson('export', project, '--output', listed);
  await commands.client.request('DELETE', '/attachments/:attachmentId', {
    params: { attachmentId: attachment },
  });

  const missing = await ask('import', listed, '--project', 'Without');
  expect(missing).toMatchObject({ exitCode: 0 });
  expect(missing.stderr).toMatch(
    /The bytes of 1 attachments are neither in the file nor here: export with --attachments .*\n {2}moved: answer\.txt \(9 bytes\)\n/,
  );
  const { attachments } = await askJson(
    'import',
    whole,
    '--project',
    'With',
    '--report',
    join(folder, 'report.json'),
  );
  expect(attachments).toMatchObject({ attached: 1, missing: 0 });
  const { data } = await commands.client.request('GET', '/sessions/:sessionId/attachments', {
    params: { sessionId: 'moved' },
  });
  expect(data).toMatchObject([{ filePath: 'answer.txt', sizeBytes: 9, status: 'uploaded' }]);
  const wrong = await ask('export', 'nothing', '--attachments');
  expect(wrong.exitCode).toBe(2);
});
