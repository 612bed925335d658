import { createHash } from 'node:crypto';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { checkBackup } from '@assay/local/backup/check';
import { openDatabases } from '@assay/local/backup/databases';
import { makeBackup } from '@assay/local/backup/make';
import { compareWithBackup, restoreBackup } from '@assay/local/backup/put-back';
import { freePort } from '@assay/local/port';
import { startAllServices } from '@assay/local/services';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { evaluate } from './evaluation.ts';
import { type Call, callAt, type Installation, startInstallation } from './installation.ts';

let assay: Installation;
let folder: string;
let backup: string;
beforeAll(async () => {
  assay = await startInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-backup-'));
  backup = join(folder, 'backup');
});
afterAll(async () => {
  await assay.stop();
  await rm(folder, { recursive: true, force: true });
});

const quiet = { say: () => undefined, signal: new AbortController().signal };

async function ok(call: Call, ...request: Parameters<Call>) {
  const reply = await call(...request);
  expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
  return reply.body;
}

async function databasesOf({
  MONGODB_URI: uri,
  DATABASE_PREFIX: prefix,
}: {
  MONGODB_URI: string;
  DATABASE_PREFIX: string;
}) {
  const databases = await openDatabases({ uri, prefix });
  onTestFinished(databases.close);
  return databases;
}

/** An installation with databases, files and subjects of its own, and nothing in them. */
async function emptyInstallation() {
  const config = testConfig();
  onTestFinished(() => dropData(config));
  const attachmentsFolder = join(await mkdtemp(join(folder, 'empty-')), 'attachments');
  return { config, attachmentsFolder, databases: await databasesOf(config) };
}

async function attach(call: Call, content: string): Promise<string> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const declaration = {
    sessionId: 's',
    filePath: sha256,
    sizeBytes: Buffer.byteLength(content),
    sha256,
    contentType: 'text/plain',
  };
  const { id, uploadUrl } = await ok(call, 'POST', '/attachments', declaration);
  expect(
    (
      await fetch(uploadUrl, {
        method: 'PUT',
        body: content,
        headers: { 'content-type': 'text/plain' },
      })
    ).status,
  ).toBe(200);
  await ok(call, 'POST', `/attachments/${id}/commit`, {});
  return id;
}

const contentOf = async (call: Call, id: string) =>
  (await fetch((await ok(call, 'GET', `/attachments/${id}`)).downloadUrl)).text();

const record = (index: number) => ({
  inputs: { index },
  expected: { answer: 'a' },
  outputs: { answer: index % 3 === 0 ? 'a' : 'b' },
});

/** Goes on writing until told: records with scores, and attachments that come and go. */
function startWriting(call: Call, runId: string) {
  const acknowledged = { records: [] as string[], attachments: [] as string[] };
  let goesOn = true;
  const writeRecords = async (worker: number) => {
    for (let index = worker; goesOn; index += 4)
      acknowledged.records.push(
        (await ok(call, 'POST', `/runs/${runId}/records`, record(index))).id,
      );
  };
  const writeAttachments = async () => {
    for (let index = 0; goesOn; index++) {
      acknowledged.attachments.push(await attach(call, `content ${index}`));
      await ok(call, 'DELETE', `/attachments/${await attach(call, `passing ${index}`)}`);
    }
  };
  const writing = Promise.all([...[0, 1, 2, 3].map(writeRecords), writeAttachments()]);
  const stop = async () => {
    goesOn = false;
    await writing;
  };
  return { acknowledged, stop };
}

async function listAll(
  call: Call,
  path: string,
): Promise<{ id: string; scores: Record<string, unknown> }[]> {
  const items = [];
  for (let cursor = ''; ; ) {
    const page = await ok(call, 'GET', `${path}?limit=100${cursor}`);
    items.push(...page.data);
    if (page.nextCursor === null) return items;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

async function isScored(call: Call, runId: string) {
  const { numRecords, scoring } = await ok(call, 'GET', `/runs/${runId}`);
  return scoring.pending === 0 && { numRecords, scoring };
}

describe('a backup that is made while records and attachments are written', () => {
  let runId: string;
  let before: { records: string[]; attachments: string[] };
  beforeAll(async () => {
    const { project, metric } = await evaluate(assay.call);
    runId = (
      await ok(assay.call, 'POST', `/projects/${project.id}/runs`, { metricIds: [metric.id] })
    ).id;
    const { acknowledged, stop } = startWriting(assay.call, runId);
    await poll(
      'much is written',
      () => acknowledged.records.length > 100 && acknowledged.attachments.length > 5,
    );
    before = { records: [...acknowledged.records], attachments: [...acknowledged.attachments] };
    const databases = await openDatabases({
      uri: assay.config.MONGODB_URI,
      prefix: assay.config.DATABASE_PREFIX,
    });
    const { records } = acknowledged;
    await makeBackup({
      databases,
      attachmentsFolder: assay.attachmentsFolder,
      to: backup,
      ...quiet,
    });
    await databases.close();
    expect(records.length).toBeGreaterThan(before.records.length);
    await stop();
  });

  test('has all that was acknowledged before it began, at one moment: accounts are right, keys work, and scoring goes on', async () => {
    const { config, databases, attachmentsFolder } = await emptyInstallation();
    await restoreBackup({ databases, attachmentsFolder, from: backup, ...quiet });
    await compareWithBackup({ databases, attachmentsFolder, from: backup, ...quiet });
    const running = await startAllServices({
      config,
      address: { host: '127.0.0.1', port: await freePort(), hasMcp: true },
      attachmentsFolder,
      settings: {},
      log: createLog({ name: 'test', level: 'silent' }),
    });
    onTestFinished(running.stop);
    const call = callAt(running.url, assay.key);

    const account = await poll('all is scored', () => isScored(call, runId));
    const records = await listAll(call, `/runs/${runId}/records`);
    const scored = records.length;
    expect(account).toEqual({
      numRecords: records.length,
      scoring: { expected: scored, scored, failed: 0, pending: 0 },
    });
    expect(before.records.filter((id) => !records.some((found) => found.id === id))).toEqual([]);
    const passed = (await ok(call, 'GET', `/runs/${runId}/summary`)).metrics[0];
    expect(passed.count).toBe(scored);
    for (const [index, id] of before.attachments.entries())
      expect(await contentOf(call, id)).toBe(`content ${index}`);

    await ok(call, 'POST', `/runs/${runId}/records`, record(0));
    await poll(
      'the new record is scored',
      async () => (await isScored(call, runId)) && (await isScored(call, runId)) !== account,
    );
    expect((await ok(call, 'GET', `/runs/${runId}`)).scoring).toMatchObject({
      expected: scored + 1,
      scored: scored + 1,
    });
  });

  test('is restored only where nothing is', async () => {
    const { attachmentsFolder } = await emptyInstallation();
    const databases = await databasesOf(assay.config);
    await expect(
      restoreBackup({ databases, attachmentsFolder, from: backup, ...quiet }),
    ).rejects.toThrow(
      'This installation is not empty: it has the database of catalog. Restore into a new one, or drop its databases.',
    );
    await ok(assay.call, 'GET', `/runs/${runId}`);
    const empty = await emptyInstallation();
    await expect(
      restoreBackup({
        ...empty,
        attachmentsFolder: assay.attachmentsFolder,
        from: backup,
        ...quiet,
      }),
    ).rejects.toThrow(
      `This installation is not empty: there are files in ${assay.attachmentsFolder}. Name another folder.`,
    );
  });

  test('shows by its digests what was changed since it was restored', async () => {
    const { databases, attachmentsFolder } = await emptyInstallation();
    await restoreBackup({ databases, attachmentsFolder, from: backup, ...quiet });
    await databases.insert({ service: 'catalog', collection: 'projects' }, [emptyDocument]);
    const [organization = ''] = (await readdir(attachmentsFolder)).filter(
      (name) => name !== 'temporary',
    );
    const [prefix = ''] = await readdir(join(attachmentsFolder, organization));
    const [name = ''] = await readdir(join(attachmentsFolder, organization, prefix));
    await appendFile(join(attachmentsFolder, organization, prefix, name), 'x');
    await expect(
      compareWithBackup({ databases, attachmentsFolder, from: backup, ...quiet }),
    ).rejects.toThrow(
      `The installation differs from the backup in catalog.projects, ${organization}/${prefix}/${name}.`,
    );
  });

  test('that is damaged leaves nothing behind, so that a good one can be restored into the same place', async () => {
    const damaged = join(folder, 'damaged');
    await cp(backup, damaged, { recursive: true });
    await cp(
      join(damaged, 'databases/catalog/testsets.bson.gz'),
      join(damaged, 'databases/catalog/projects.bson.gz'),
    );
    const another = await emptyInstallation();
    await expect(restoreBackup({ ...another, from: damaged, ...quiet })).rejects.toThrow(
      'projects.bson.gz is damaged',
    );
    expect(await another.databases.names()).toEqual([]);
    await restoreBackup({ ...another, from: backup, ...quiet });
    await rm(join(damaged, 'manifest.json'));
    await expect(
      restoreBackup({ ...(await emptyInstallation()), from: damaged, ...quiet }),
    ).rejects.toThrow('holds no whole backup');
  });

  test('is read whole where it is verified: each damaged file is named, whether it is of documents or an attachment', async () => {
    await checkBackup({ from: backup, ...quiet });
    const damaged = join(folder, 'damaged-files');
    await cp(backup, damaged, { recursive: true });
    const documents = join(damaged, 'databases/run-records/records.bson.gz');
    await truncate(documents, (await stat(documents)).size - 20);
    const attachments = await readdir(join(damaged, 'attachments'), {
      recursive: true,
      withFileTypes: true,
    });
    const attachment = attachments.find((entry) => entry.isFile())!;
    await appendFile(join(attachment.parentPath, attachment.name), 'x');
    const checked = checkBackup({ from: damaged, ...quiet });
    await expect(checked).rejects.toThrow(documents);
    await expect(checked).rejects.toThrow(attachment.name);
  });

  test('is readable by its owner alone, and has no key in it', async () => {
    const files = await readdir(backup, { recursive: true, withFileTypes: true });
    for (const entry of files) {
      const path = join(entry.parentPath, entry.name);
      expect([path, (await stat(path)).mode & 0o777]).toEqual([
        path,
        entry.isDirectory() ? 0o700 : 0o600,
      ]);
      if (!entry.isFile()) continue;
      const bytes = await readFile(path);
      expect((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).includes(assay.key), path).toBe(
        false,
      );
    }
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
  });
});

/** BSON of `{}`: MongoDB's driver gives it an id. */
const emptyDocument = Buffer.from([5, 0, 0, 0, 0]);
