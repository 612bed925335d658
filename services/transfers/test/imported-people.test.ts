import { authorFields, type LineKind } from '@assay/contracts/project-file';
import { start as startIdentity } from '@assay/identity/service';
import { start as startResults } from '@assay/results/service';
import { openDatabase } from '@assay/runtime/mongo/database';
import { start as startSessions } from '@assay/sessions/service';
import { start as startSystems } from '@assay/systems/service';
import { poll } from '@assay/testing/poll';
import { start as startTraces } from '@assay/traces/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PairwiseWorld, startPairwiseWorld } from '../../scoring/test/pairwise-world.ts';
import { start } from '../src/service.ts';
import { asAnotherOrganization, linesOf } from './transferred-project.ts';

let world: PairwiseWorld;
beforeAll(async () => {
  world = await startPairwiseWorld({
    services: {
      identity: startIdentity,
      systems: startSystems,
      results: startResults,
      sessions: startSessions,
      traces: startTraces,
      transfers: start,
    },
    settings: {
      STORAGE: 'disk',
      ATTACHMENTS_FOLDER: 'never-written',
      PUBLIC_URL: 'http://localhost/v2',
    },
  });
});
afterAll(() => world.stop());

type Options = NonNullable<Parameters<PairwiseWorld['request']>[3]>;

async function send(method: string, path: string, body?: unknown, options: Options = {}) {
  const reply = await world.request(method, path, body, options);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body;
}

/** The values of a field of a line: `scores.userId` is that of each score. */
function valuesAt(value: unknown, [name, ...rest]: string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name!, ...rest]));
  const member = (value as Record<string, unknown>)[name!];
  return rest.length === 0 ? [member] : valuesAt(member ?? [], rest);
}

/** The fields of a file in which a person is named as an author, as `kind: field`. */
function placesOf(file: string, userId: string): string[] {
  const lines = linesOf({ text: file });
  return Object.entries(authorFields).flatMap(([kind, fields]) =>
    fields
      .filter((field) =>
        lines.some(
          (line) => line.kind === kind && valuesAt(line, field.split('.')).includes(userId),
        ),
      )
      .map((field) => `${kind}: ${field}`),
  );
}

const everyPlace = (Object.keys(authorFields) as LineKind[]).flatMap((kind) =>
  (authorFields as Record<string, readonly string[]>)[kind]!.map((field) => `${kind}: ${field}`),
);

/** A project in which one person made everything, and another gave one score. */
async function createProject() {
  const { projectId, metricId, runIds } = await world.prepare({ answers: [['a'], ['b']] });
  const { id: comparisonId } = await world.create('/pairwise-comparisons', { metricId, runIds });
  await world.finished(comparisonId);
  const people = await send('POST', `/projects/${projectId}/metrics`, {
    name: 'People',
    evalType: 'human',
    outputType: 'boolean',
    annotators: 2,
  });
  await send('PUT', `/projects/${projectId}/monitors`, {
    description: 'Every answer',
    metrics: [people.id],
  });
  const run = await send('POST', `/projects/${projectId}/runs`, { metricIds: [people.id] });
  const recordOf = async () =>
    (
      await send('POST', `/runs/${run.id}/records`, {
        inputs: {},
        expected: {},
        outputs: {},
        tags: ['slow'],
      })
    ).id as string;
  const [both, one] = [await recordOf(), await recordOf()];
  const [versionId] = run.metricVersionIds as [string];
  const other = (await send('POST', '/members', { email: `${both}@example.com`, name: 'Grace' }))
    .userId as string;
  for (const recordId of [both, one])
    await send('PUT', `/records/${recordId}/scores/${versionId}`, { score: { binaryScore: true } });
  await send('PUT', `/records/${both}/scores/${versionId}`, {
    score: { binaryScore: false },
    userId: other,
  });
  await send('POST', `/records/${both}/annotations`, { comment: 'Too short' });
  const testset = await send('POST', `/projects/${projectId}/testsets`, {
    name: 'Annotated',
    description: '',
    jsonSchema: {},
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
  const { items } = await send('POST', `/testsets/${testset.id}/testcases`, {
    items: [{ jsonData: { question: 'Why?' } }],
  });
  await send('POST', `/testcases/${items[0].id}/annotations`, { comment: 'Unclear' });
  await send('POST', `/records/${both}/assignees`, { assigneeUserId: other });
  return { projectId, run, both, one, versionId, other };
}

/** The same project in another organization, with a member there to map people to. */
async function importProject() {
  const made = await createProject();
  const { text: file } = await world.request('GET', `/projects/${made.projectId}/export`);
  const elsewhere = asAnotherOrganization();
  const imported = linesOf(
    await world.request('POST', '/projects/import', undefined, {
      ...elsewhere,
      raw: file,
      headers: { 'content-type': 'application/x-ndjson' },
    }),
  );
  const newIds = new Map<string, string>(imported.map(({ from, to }) => [from, to]));
  const { projectId } = imported.at(-1);
  const there = (method: string, path: string, body?: unknown, options: Options = {}) =>
    world.request(method, path, body, { ...elsewhere, ...options });
  const memberOf = async (name: string) =>
    (await there('POST', '/members', { email: `${name}@example.com` })).body.userId as string;
  const listed = async () => (await there('GET', '/members?imported=true')).body.data;
  const other = newIds.get(made.other)!;
  // The admin of a test is no member whom a file names: theirs is what the run says.
  const { createdByUserId: author } = (await there('GET', `/runs/${newIds.get(made.run.id)}`)).body;
  return {
    elsewhere,
    there,
    projectId: projectId as string,
    newIds,
    run: newIds.get(made.run.id)!,
    both: newIds.get(made.both)!,
    one: newIds.get(made.one)!,
    versionId: newIds.get(made.versionId)!,
    author: author as string,
    other,
    memberOf,
    listed,
    fileThere: async () => (await there('GET', `/projects/${projectId}/export`)).text,
    map: (userId: string, mapTo: string, options: Options = {}) =>
      there('PATCH', `/members/${userId}`, { mapTo }, options),
    gone: (userId: string) =>
      poll('the person is gone', async () =>
        (await listed()).every((person: { userId: string }) => person.userId !== userId),
      ),
  };
}

test('all that an imported person made becomes the member’s to whom an admin maps them', async () => {
  const { author, other, memberOf, map, gone, listed, fileThere } = await importProject();
  const before = await fileThere();
  expect(placesOf(before, author)).toEqual(everyPlace);
  const member = await memberOf('ada');
  const reply = await map(author, member);
  expect(reply.status, reply.text).toBe(200);
  expect(reply.body).toMatchObject({ userId: member, email: 'ada@example.com' });
  await gone(author);
  const after = await fileThere();
  expect(after).not.toContain(author);
  expect(placesOf(after, member)).toEqual(everyPlace);
  // Nothing else is another's.
  expect(placesOf(after, other)).toEqual(placesOf(before, other));
  expect((await listed()).map(({ userId }: { userId: string }) => userId)).toContain(other);
});

test('where the person and the member scored the same, the member’s score stays, and another annotator is awaited', async () => {
  const { elsewhere, there, author, run, one, versionId, memberOf, map, gone } =
    await importProject();
  const member = await memberOf('ada');
  const as = { identity: { ...elsewhere.identity, userId: member } };
  await there('PUT', `/records/${one}/scores/${versionId}`, { score: { binaryScore: false } }, as);
  const account = async () => (await there('GET', `/runs/${run}`)).body.scoring;
  const missing = async () => (await there('GET', `/records/${one}`)).body.missingScores;
  expect(await missing()).toEqual([]);
  const before = await account();
  await map(author, member);
  await gone(author);
  const { scores } = (await there('GET', `/records/${one}`)).body;
  expect(scores).toHaveLength(1);
  expect(scores[0]).toMatchObject({ userId: member, score: { binaryScore: false } });
  expect(await missing()).toEqual([{ metricConfigId: versionId, state: 'awaited' }]);
  expect(await account()).toEqual({
    ...before,
    pending: before.pending + 1,
    scored: before.scored - 1,
  });
});

describe('mapping is refused', () => {
  test('to and of everybody but an imported person and a member, with the place and the reason', async () => {
    const { there, author, other, memberOf, map, fileThere } = await importProject();
    const member = await memberOf('ada');
    const before = await fileThere();
    const refused = async (userId: string, mapTo: string) => {
      const { status, body } = await map(userId, mapTo);
      return [status, body.details?.issues?.[0]?.path];
    };
    expect(await refused(author, other)).toEqual([400, '/mapTo']);
    expect(await refused(author, author)).toEqual([400, '/mapTo']);
    expect(await refused(author, 'nobody')).toEqual([400, '/mapTo']);
    expect(await refused(member, member)).toEqual([409, undefined]);
    expect(await refused(member, await memberOf('grace'))).toEqual([409, undefined]);
    const together = await there('PATCH', `/members/${author}`, { mapTo: member, name: 'Ada' });
    expect([together.status, together.body.details.issues[0].path]).toEqual([400, '/mapTo']);
    const role = await there('PATCH', `/members/${author}`, { role: 'admin' });
    expect(role.status).toBe(404);
    expect(placesOf(await fileThere(), author)).toEqual(placesOf(before, author));
  });

  test('to whoever is no admin, and where the person or the member is of another organization', async () => {
    const { elsewhere, author, memberOf, map } = await importProject();
    const member = await memberOf('ada');
    const asMember = { identity: { ...elsewhere.identity, role: 'member' as const } };
    expect((await map(author, member, asMember)).status).toBe(403);
    expect((await map(author, member, { identity: world.identity })).status).toBe(404);
    const stranger = (await send('POST', '/members', { email: `${author}@example.com` })).userId;
    expect((await map(author, stranger)).status).toBe(400);
  });
});

test('of two admins who map a person to two members at once one is told, and a repeat changes nothing', async () => {
  const { author, memberOf, map, gone, fileThere } = await importProject();
  const members = [await memberOf('ada'), await memberOf('grace')];
  const replies = await Promise.all(members.map((member) => map(author, member)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  const winner = members[replies.findIndex(({ status }) => status === 200)]!;
  await Promise.all([map(author, winner), map(author, winner)]);
  await gone(author);
  const after = await fileThere();
  expect(placesOf(after, winner)).toEqual(everyPlace);
  expect((await map(author, winner)).status).toBe(200);
  const loser = members.find((member) => member !== winner)!;
  expect((await map(author, loser)).status).toBe(409);
  expect(placesOf(await fileThere(), loser)).toEqual([]);
});

test('a mapping whose process died goes on in another, and who mapped is kept', async () => {
  const { elsewhere, projectId, run, one, both, author, memberOf, gone, fileThere } =
    await importProject();
  const member = await memberOf('ada');
  const database = await openDatabase({
    uri: world.config.MONGODB_URI,
    name: `${world.config.DATABASE_PREFIX}_identity`,
  });
  const people = database.collection<{ _id: string } & Record<string, unknown>>('importedPeople');
  const at = new Date(Date.now() - 60_000);
  const mapping = { toUserId: member, byUserId: elsewhere.identity.userId, at };
  // It was among the records of the run, after the first of them.
  const [first, last] = [one, both].sort();
  const progress = { servicesDone: 3, after: `${run}/${first}` };
  await people.updateOne({ _id: author }, { $set: { mapping, progress, heldUntil: at } });
  await gone(author);
  const records = linesOf({ text: await fileThere() }).filter(({ kind }) => kind === 'record');
  const giversOf = (id: string) =>
    records
      .find((record) => record.id === id)
      .scores.map(({ userId }: { userId: string }) => userId);
  expect(giversOf(last!)).toContain(member);
  expect(giversOf(last!)).not.toContain(author);
  expect(giversOf(first!)).toContain(author);
  expect(await people.findOne({ _id: author })).toMatchObject({ projectId, mapping });
  await database.close();
});

test('the imported people of a project go with it', async () => {
  const { there, projectId, author, gone, listed, other } = await importProject();
  expect((await listed()).map(({ userId }: { userId: string }) => userId).sort()).toEqual(
    expect.arrayContaining([author, other].sort()),
  );
  expect((await there('DELETE', `/projects/${projectId}`)).status).toBe(200);
  await gone(author);
  await gone(other);
});
