import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start as startCatalog } from '@assay/catalog/service';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { freePort } from '@assay/local/port';
import { start as startMetrics } from '@assay/metrics/service';
import { newId } from '@assay/runtime/ids';
import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { start as startScoring } from '@assay/scoring/service';
import { start as startSessions } from '@assay/sessions/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import type { testConfig } from '@assay/testing/config';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { start as startTraces } from '@assay/traces/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fileOf,
  header,
  projectLine,
  recordLine,
  runLine,
} from '../../services/transfers/test/written-file.ts';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

/** Larger than what the sockets of one connection hold. */
const recordsCount = 3000;
const outputs = { text: 'x'.repeat(10_000) };

let folder: string;
let world: World;
let databases: Record<'catalog' | 'run-records', Database>;
let ports: Record<string, number>;
const processes: Record<string, ServiceProcess> = {};

/** Starts a service at its port, where the others look for it. */
async function startService(name: string): Promise<void> {
  const config = world.config as unknown as ReturnType<typeof testConfig>;
  const urls = Object.fromEntries(
    serviceNames
      .filter((service) => world.urls[service])
      .map((service) => [urlVariable(service), world.urls[service]!]),
  );
  processes[name] = await startProcess(name, {
    ...environmentOf(config, name),
    ...(name === 'transfers' ? urls : {}),
    PORT: String(ports[name]),
  });
}

async function kill(name: string): Promise<void> {
  await processes[name]!.kill();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-killed-'));
  ports = {
    identity: await freePort(),
    'run-records': await freePort(),
    transfers: await freePort(),
  };
  const urlOf = (name: string) => `http://127.0.0.1:${ports[name]}`;
  world = await startWorld({
    services: {
      catalog: startCatalog,
      testcases: startTestcases,
      systems: startSystems,
      metrics: startMetrics,
      scoring: startScoring,
      sessions: startSessions,
      traces: startTraces,
    },
    config: {
      RUN_RECORDS_URL: urlOf('run-records'),
      STORAGE: 'disk',
      ATTACHMENTS_FOLDER: folder,
      PUBLIC_URL: 'http://localhost/v2',
    },
  });
  Object.assign(world.urls, {
    identity: urlOf('identity'),
    'run-records': urlOf('run-records'),
    transfers: urlOf('transfers'),
  });
  databases = {
    catalog: await databaseOf('catalog'),
    'run-records': await databaseOf('run-records'),
  };
  await startService('identity');
  await startService('run-records');
  await startService('transfers');
});
afterAll(async () => {
  for (const each of Object.values(processes)) await each.stop();
  for (const database of Object.values(databases)) await database.close();
  await world.stop();
  await rm(folder, { recursive: true });
});

const databaseOf = (service: string) =>
  openDatabase({
    uri: world.config.MONGODB_URI,
    name: `${world.config.DATABASE_PREFIX}_${service}`,
  });

const collectionOf = (service: keyof typeof databases, name: string) =>
  databases[service].collection<{ _id: string; projectId?: string; deletedAt?: Date }>(name);

/** The runs of an import that failed go like those of a deleted project, some minutes later. */
const untilDeleted = (projectId: string) =>
  poll('what was stored is deleted', async () => {
    const runs = collectionOf('run-records', 'runs');
    return (await runs.countDocuments({ projectId, deletedAt: { $gt: new Date() } })) === 0;
  });

const projectsOf = async (organizationId: string): Promise<{ id: string }[]> =>
  (await world.request('GET', '/projects', undefined, { identity: { organizationId } })).body.data;

function writtenFile(change: object = {}, count = recordsCount): string {
  const runId = newId();
  const records = Array.from({ length: count }, () =>
    JSON.stringify(recordLine({ runId, outputs, ...change })),
  );
  return fileOf(header, projectLine(), JSON.stringify(runLine(runId)), ...records);
}

/** Opens a request to transfers as a member of an organization; the reply once it begins. */
function open(
  { method, path, organizationId }: { method: string; path: string; organizationId: string },
  write?: (sending: ReturnType<typeof openRequest>) => void,
): Promise<IncomingMessage> {
  const sending = openRequest(`${world.urls.transfers}${path}`, {
    method,
    headers: {
      ...world.sealed(method, path, { organizationId }),
      ...(write ? { 'content-type': 'application/x-ndjson' } : {}),
    },
  });
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    sending.on('response', resolve);
    // After the reply has begun, it is the reply that breaks off.
    sending.on('error', reject);
  });
  if (write) write(sending);
  else sending.end();
  return reply;
}

/** The lines of a reply, and whether it came to its end. */
function reading(reply: IncomingMessage) {
  let text = '';
  reply.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  reply.on('error', () => undefined);
  return {
    // biome-ignore lint/suspicious/noExplicitAny: lines of any kind
    lines: (): any[] =>
      text
        .split('\n')
        .slice(0, -1)
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    end: new Promise<boolean>((resolve) => {
      const finish = () => resolve(reply.complete);
      if (reply.closed) finish();
      else reply.on('close', finish);
    }),
  };
}

/** Sends half of a file, and returns when a part of it is stored; `rest` sends what is left. */
async function importHalf(file: string, organizationId: string) {
  const half = file.indexOf('\n', file.length / 2) + 1;
  let rest = (): void => undefined;
  const reply = await open(
    { method: 'POST', path: '/projects/import', organizationId },
    (sending) => {
      sending.write(file.slice(0, half));
      rest = () => sending.end(file.slice(half));
    },
  );
  const answer = reading(reply);
  const records = await poll('records are stored', async () => {
    const found = answer.lines().filter(({ kind }) => kind === 'record');
    return found.length > 0 && found;
  });
  const [{ to: projectId }] = answer.lines();
  return { answer, rest, projectId: projectId as string, recordId: records[0].to as string };
}

/** Imports a whole file; the last line of the answer. */
async function importWhole(file: string, organizationId: string) {
  const answer = reading(
    await open({ method: 'POST', path: '/projects/import', organizationId }, (sending) =>
      sending.end(file),
    ),
  );
  await answer.end;
  return answer.lines().at(-1);
}

/** A whole project, which the first test that needs one imports. */
let stored: { organizationId: string; projectId: string } | undefined;
async function storedProject() {
  if (stored) return stored;
  const organizationId = newId();
  const { projectId } = await importWhole(writtenFile(), organizationId);
  stored = { organizationId, projectId };
  return stored;
}

test('kill -9 of transfers in an import leaves nothing to be seen; it is swept, and the same file comes in again', async () => {
  const organizationId = newId();
  const file = writtenFile();
  const { answer, projectId, recordId } = await importHalf(file, organizationId);
  await kill('transfers');
  expect(await answer.end).toBe(false);
  const as = { identity: { organizationId } };
  expect(await projectsOf(organizationId)).toEqual([]);
  expect((await world.request('GET', `/records/${recordId}`, undefined, as)).status).toBe(404);

  await startService('transfers');
  const again = await importWhole(file, organizationId);
  expect(again).toMatchObject({ done: true, counts: { record: recordsCount } });
  expect((await projectsOf(organizationId)).map(({ id }) => id)).toEqual([again.projectId]);

  const imports = collectionOf('catalog', 'imports');
  await imports.updateOne({ _id: projectId }, { $set: { expiresAt: new Date(0) } });
  // A process sweeps when it starts.
  const sweeping = await startCatalog(world.config);
  await untilDeleted(projectId);
  await sweeping.stop();
  expect((await projectsOf(organizationId)).map(({ id }) => id)).toEqual([again.projectId]);
  stored = { organizationId, projectId: again.projectId };
});

test('kill -9 of transfers in an export ends the file without its last line, and the next export is whole', async () => {
  const { organizationId, projectId } = await storedProject();
  const wanted = { method: 'GET', path: `/projects/${projectId}/export`, organizationId };
  const reply = await open(wanted);
  await once(reply, 'readable');
  await kill('transfers');
  const cut = reading(reply);
  expect(await cut.end).toBe(false);
  expect(cut.lines().map(({ kind }) => kind)).not.toContain('end');

  await startService('transfers');
  const whole = reading(await open(wanted));
  expect(await whole.end).toBe(true);
  expect(whole.lines().at(-1)).toMatchObject({ kind: 'end', lines: recordsCount + 3 });
});

test('kill -9 of an owner in an import is answered by one sentence; what it had stored is deleted when it is back', async () => {
  const organizationId = newId();
  const file = writtenFile();
  const { answer, rest, projectId } = await importHalf(file, organizationId);
  await kill('run-records');
  rest();
  expect(await answer.end).toBe(true);
  expect(answer.lines().at(-1)).toMatchObject({
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'A part of the service does not answer at the moment.',
  });
  expect(await projectsOf(organizationId)).toEqual([]);

  await startService('run-records');
  await untilDeleted(projectId);
  expect(await importWhole(writtenFile({}, 10), organizationId)).toMatchObject({ done: true });
});

test.each(['identity', 'run-records'])(
  'kill -9 of %s while what an imported person made is given to a member loses nothing: it goes on',
  async (killed) => {
    const identity = { organizationId: newId() };
    const ask = async (method: string, path: string, body?: unknown) =>
      (await world.request(method, path, body, { identity })).body;
    const given = { userId: newId(), createdAt: '2026-01-31T12:00:00.000Z' };
    const file = writtenFile({
      // It is their number that makes the giving last.
      outputs: {},
      tags: [{ id: newId(), text: 'slow', source: 'user', ...given }],
      scores: [
        {
          metricVersionId: newId(),
          score: { binaryScore: true },
          value: true,
          source: 'human',
          isOutside: true,
          ...given,
        },
      ],
    });
    await importWhole(file, identity.organizationId);
    const [{ userId: person }] = (await ask('GET', '/members?imported=true')).data;
    const { userId: member } = await ask('POST', '/members', { email: 'ada@example.com' });
    const recordsOf = (field: string, userId: string) =>
      collectionOf('run-records', 'records').countDocuments({
        ...identity,
        [field]: userId,
      } as object);

    await ask('PATCH', `/members/${person}`, { mapTo: member });
    await poll('some is given', async () => (await recordsOf('scores.userId', member)) > 0);
    await kill(killed);
    expect(await recordsOf('scores.userId', person)).toBeGreaterThan(0);

    await startService(killed);
    // The process that died holds the mapping for half a minute.
    await poll(
      'the person is gone',
      async () => (await ask('GET', '/members?imported=true')).data.length === 0,
    );
    for (const field of ['scores.userId', 'tags.userId']) {
      expect(await recordsOf(field, person), field).toBe(0);
      expect(await recordsOf(field, member), field).toBe(recordsCount);
    }
  },
);
