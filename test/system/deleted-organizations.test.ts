import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectNats } from '@assay/runtime/bus/connection';
import { createLog } from '@assay/runtime/log';
import { operatorIdentity } from '@assay/runtime/signature';
import { findPlaces, type KeptCollection, withCollection } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../imports.ts';
import { callAt, type Installation, startInstallation } from './installation.ts';
import { createTenant, type Tenant } from './tenant.ts';

let assay: Installation;
let owner: Tenant;
let neighbour: Tenant;
let organizationId: string;

beforeAll(async () => {
  assay = await startInstallation();
  const [ofOwner, ofNeighbour] = [
    await assay.newOrganization('Owner'),
    await assay.newOrganization('Neighbour'),
  ];
  owner = await createTenant(callAt(assay.url, ofOwner.key));
  neighbour = await createTenant(callAt(assay.url, ofNeighbour.key));
  organizationId = owner.ids.organization;
  await owner.call(
    'POST',
    '/projects',
    { name: 'q', description: '' },
    { headers: { 'idempotency-key': 'once' } },
  );
  await owner.call(
    'POST',
    `/runs/${owner.ids.run}/records`,
    { inputs: {}, expected: {}, outputs: {} },
    { headers: { 'idempotency-key': 'once' } },
  );
});
afterAll(async () => {
  await assay.stop();
});

/** The collections in whose documents an id stands anywhere. */
const placesOf = (id: string): Promise<string[]> =>
  findPlaces({ uri: assay.config.MONGODB_URI, prefix: assay.config.DATABASE_PREFIX, text: id });

function inCollection<Result>(
  service: string,
  collection: string,
  work: (found: KeptCollection) => Promise<Result>,
): Promise<Result> {
  const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = assay.config;
  return withCollection({ uri, prefix, service, collection }, work);
}

async function messagesOf(id: string): Promise<string[]> {
  const log = createLog({ name: 'test', level: 'silent' });
  const { NATS_URL: urls } = assay.config;
  const connection = await connectNats({ urls, nats: assay.config, name: 'test', log });
  const manager = await connection.jetstreamManager();
  const upper = assay.config.SUBJECT_PREFIX.toUpperCase();
  const found: string[] = [];
  for await (const stream of manager.streams.names()) {
    if (!stream.startsWith(`${upper}-`)) continue;
    const { state } = await manager.streams.info(stream);
    for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
      const message = await manager.streams.getMessage(stream, { seq }).catch(() => undefined);
      const [caller = ''] = (message?.header.get('x-assay-identity') ?? '').split('.');
      const text = `${Buffer.from(caller, 'base64url')} ${message?.string() ?? ''}`;
      if (text.includes(id)) found.push(message!.subject);
    }
  }
  await connection.close();
  return found;
}

const suspend = () =>
  assay.asOperator((ask) => ask.suspendOrganization(operatorIdentity, { organizationId }));

/** As if it had been suspended long ago. */
const settle = () =>
  inCollection('identity', 'organizations', (organizations) =>
    organizations.updateOne({ _id: organizationId }, { $set: { suspendedAt: new Date(0) } }),
  );

/** Runs an operator's command in a process of its own. */
function startCommand(...words: string[]) {
  const { NATS_URL, ASSAY_OPERATOR_SECRET, SUBJECT_PREFIX } = assay.config;
  const script = join(root, 'dist/bundle/admin.js');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH, HOME, NATS_URL: NATS_URL.join(','), ASSAY_OPERATOR_SECRET, SUBJECT_PREFIX },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (written.out += chunk));
  child.stderr.on('data', (chunk) => (written.err += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, written, ended };
}

const startDeletion = () => startCommand('delete-organization', organizationId, '--yes');

test.each([
  ['forget-trace-user', []],
  ['forget-session', ['attachments']],
])('%s ends with a count for every place', async (command, more) => {
  const { written, ended } = startCommand(command, organizationId, 'nobody');
  expect([await ended, written.err]).toEqual([0, '']);
  expect(
    written.out
      .trimEnd()
      .split('\n')
      .slice(0, 5 + more.length)
      .map((line) => line.trim().split(/ +/)),
  ).toEqual([
    ['PLACE', 'ERASED', 'LEFT'],
    ['trace_parts', '0', '0'],
    ['span_lists', '0', '0'],
    ['trace_annotations', '0', '0'],
    ['traces', '0', '0'],
    ...more.map((place) => [place, '0', '0']),
  ]);
  const refused = startCommand(command, 'nobody', 'nobody');
  expect([await refused.ended, refused.written.err]).toEqual([
    1,
    'There is no organization with this id.\n',
  ]);
});

test('an organization that is not suspended is not deleted', async () => {
  const { written, ended } = startDeletion();
  expect(await ended).toBe(1);
  expect(written.err).toMatch(/^The organization Owner is not suspended: suspend it first, /);
  expect((await owner.call('GET', '/organization')).status).toBe(200);
});

test('a deleted organization leaves nothing in any database, stream and folder, also where the command is killed and something is stored late, and its neighbour loses nothing', async () => {
  const before = await neighbour.everything();
  // It is written once a second.
  await poll('the bytes of the day are counted', async () =>
    (await placesOf(organizationId)).includes('traces.daily_bytes'),
  );
  const places = await placesOf(organizationId);
  for (const place of ['catalog.projects', 'run-records.records', 'traces.trace_parts'])
    expect(places).toContain(place);
  expect(places).toContain('run-records.record_keys');
  expect(places).toContain('catalog.idempotency');
  await suspend();

  const first = startDeletion();
  await poll('the first pass is done', () =>
    first.written.out.includes('Nothing is left of it now'),
  );
  first.child.kill('SIGKILL');
  await first.ended;
  // The organization itself stays until the end, so that the command can be run again.
  expect(await placesOf(organizationId)).toEqual(['identity.organizations']);
  await expect(
    assay.asOperator((ask) => ask.resumeOrganization(operatorIdentity, { organizationId })),
  ).rejects.toMatchObject({ code: 'CONFLICT' });
  // As a request would that was under way when it was suspended.
  await inCollection('run-records', 'records', (records) =>
    records.insertOne({ _id: 'late', organizationId } as { _id: string }),
  );

  await settle();
  const second = startDeletion();
  expect([await second.ended, second.written.err]).toEqual([0, '']);
  const lines = second.written.out.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^SERVICE +PLACE +LEFT$/);
  expect(lines.at(-1)).toBe(
    `Organization ${organizationId} is deleted: nothing of it is left in any of these places.`,
  );
  const rows = lines.slice(1, -1).map((line) => line.trim().split(/ {2,}/));
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter(([, , left]) => left !== '0')).toEqual([]);

  expect(await placesOf(organizationId)).toEqual([]);
  for (const id of [owner.ids.project, owner.ids.user, owner.ids.run, owner.ids.record])
    expect(await placesOf(id)).toEqual([]);
  expect(await messagesOf(organizationId)).toEqual([]);
  expect(await readdir(assay.attachmentsFolder)).not.toContain(organizationId);
  await poll('the key is nobody’s', async () => (await owner.call('GET', '/me')).status === 401);
  expect(await neighbour.everything()).toEqual(before);

  const again = startDeletion();
  expect([await again.ended, again.written.out]).toEqual([0, second.written.out]);
});

test('an erasure stops at a collection of which it is not declared whose its documents are', async () => {
  await inCollection('systems', 'undeclared', async (undeclared) => {
    await undeclared.insertOne({ _id: 'a' });
    const { ended } = startDeletion();
    expect(await ended).toBe(1);
    await undeclared.drop();
  });
});
