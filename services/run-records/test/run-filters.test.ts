import { newId } from '@assay/runtime/ids';
import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const { config, getRun, identity, newMember, newMetric, newRecord, newRun, newTestset, request } =
  useRunRecords();

type RunDocument = Document & { _id: string };

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(config().MONGODB_URI);
});
afterAll(() => client.close());
const database = () => client.db(`${config().DATABASE_PREFIX}_run-records`);

const newProject = async () =>
  (await request('POST', '/projects', { name: 'runs', description: '' })).body.id as string;

/** A project with runs that differ in these fields, put in past the service; the ids, newest first. */
async function projectWithRuns(changes: Document[]) {
  const projectId = await newProject();
  const { id } = (await request('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
  const runs = database().collection<RunDocument>('runs');
  const { _id, ...model } = (await runs.findOne({ _id: id }))!;
  await runs.deleteOne({ _id });
  const documents = changes.map((change) => ({ ...model, ...change, _id: newId() }));
  await runs.insertMany(documents);
  return { projectId, ids: documents.map((document) => document._id).reverse() };
}

const listed = (projectId: string, query: Record<string, string | string[]>) =>
  request(
    'GET',
    `/projects/${projectId}/runs?${new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, each]),
      ),
    )}`,
  );

/** The ids of all pages, and how many runs each page has. */
async function walk(projectId: string, query: Record<string, string | string[]>) {
  const found: string[] = [];
  const pages: number[] = [];
  for (let cursor = {}; ; ) {
    const { status, body } = await listed(projectId, { ...query, ...cursor });
    expect(status).toBe(200);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    pages.push(body.data.length);
    expect(body.nextCursor !== null).toBe(body.hasMore);
    if (!body.hasMore) return { found, pages };
    cursor = { cursor: body.nextCursor };
  }
}

const issuesOf = ({ status, body }: Awaited<ReturnType<typeof request>>) => [
  status,
  body.details.issues,
];

describe("a run's name and labels", () => {
  test('are given at its creation, changed each for itself, and the name is taken off by null', async () => {
    const labels = { commit: 'abc', 'a.$b': 'x:y', toString: '1', ['__proto__']: '2' };
    const run = await newRun({ name: 'First', labels });
    expect(run).toMatchObject({ name: 'First', createdByUserId: identity().userId });
    expect(Object.entries(run.labels)).toEqual(Object.entries(labels));
    const path = `/runs/${run.id}`;
    expect((await request('PATCH', path, { name: null })).body).not.toHaveProperty('name');
    expect((await request('PATCH', path, { name: 'Second', budgetUsd: 3 })).body).toMatchObject({
      name: 'Second',
      labels: { commit: 'abc' },
      budgetUsd: 3,
    });
    const replaced = await request('PATCH', path, { labels: { branch: 'main' } });
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({ name: 'Second', budgetUsd: 3 });
    expect(replaced.body.labels).toEqual({ branch: 'main' });
    expect((await request('PATCH', path, {})).body).toEqual(replaced.body);
    expect((await request('PATCH', path, { labels: {} })).body).not.toHaveProperty('labels');
    const other = asMember(await newMember());
    const theirs = await request('PATCH', path, { name: 'Third' }, other);
    expect(theirs.body).toMatchObject({ name: 'Third', createdByUserId: identity().userId });
    expect(await getRun(run.id)).toEqual(theirs.body);
  });

  test('that break a rule are refused in their places', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v']));
    const isNoKey = 'must have a key of 1 to 64 characters without a colon';
    const isNoValue = 'must be a string of 1 to 256 characters';
    const refused = async (labels: unknown) =>
      issuesOf(await request('PATCH', `/runs/${(await newRun()).id}`, { labels }));
    expect(await refused(many)).toEqual([
      400,
      [{ path: '/labels', message: 'must have at most 20 labels' }],
    ]);
    const wrong = { 'a:b': 'x', '': 'x', number: 1, empty: '', long: 'x'.repeat(257), fine: 'x' };
    expect(await refused({ ...wrong, ['x'.repeat(65)]: 'x' })).toEqual([
      400,
      [
        { path: '/labels/a:b', message: isNoKey },
        { path: '/labels/', message: isNoKey },
        { path: '/labels/number', message: isNoValue },
        { path: '/labels/empty', message: isNoValue },
        { path: '/labels/long', message: isNoValue },
        { path: `/labels/${'x'.repeat(65)}`, message: isNoKey },
      ],
    ]);
    for (const labels of [null, [], 'commit:abc'])
      expect((await refused(labels))[0], JSON.stringify(labels)).toBe(400);
    for (const name of ['', 'x'.repeat(257), 1])
      expect((await request('PATCH', `/runs/${missingId}`, { name })).status).toBe(400);
    expect((await request('PATCH', `/runs/${missingId}`, { name: 'x' })).status).toBe(404);
  });

  test('are not there, nor who made it, on a run of 0.1.0', async () => {
    const run = await newRun({ name: 'x', labels: { a: 'b' } });
    await database()
      .collection<RunDocument>('runs')
      .updateOne({ _id: run.id }, { $unset: { name: '', labels: '', createdByUserId: '' } });
    const { name: _name, labels: _labels, warnings: _warnings, ...rest } = run;
    expect(await getRun(run.id)).toEqual({ ...rest, createdByUserId: null });
  });
});

test('a run that is made without metrics is told so, once', async () => {
  const run = await newRun();
  expect(run.warnings).toEqual([
    {
      code: 'no_metrics',
      path: '/metricIds',
      message: 'The run has no metrics, so its records get no scores.',
    },
  ]);
  expect(await getRun(run.id)).not.toHaveProperty('warnings');
  expect(await newRun({ metricIds: [await newMetric()] })).not.toHaveProperty('warnings');
});

describe('the list of runs', () => {
  test('is filtered by testset, version, labels, member, source, status and a part of the name', async () => {
    const { testset } = await newTestset(1);
    const member = await newMember();
    const projectId = await newProject();
    const made = async (body: object, as = {}) =>
      (await request('POST', `/projects/${projectId}/runs`, { metricIds: [], ...body }, as)).body
        .id as string;
    const plain = await made({});
    const named = await made({ name: 'Prompt 14 (final)', labels: { commit: 'abc' } });
    const theirs = await made({ labels: { commit: 'abc', branch: 'main:x' } }, asMember(member));
    expect((await newRecord(named)).status).toBe(201);
    const find = async (query: Record<string, string | string[]>) =>
      (await walk(projectId, query)).found;
    expect(await find({})).toEqual([theirs, named, plain]);
    expect(await find({ label: 'commit:abc' })).toEqual([theirs, named]);
    expect(await find({ label: ['commit:abc', 'branch:main:x'] })).toEqual([theirs]);
    expect(await find({ label: ['commit:abc', 'branch:main'] })).toEqual([]);
    expect(await find({ label: 'commit:ab' })).toEqual([]);
    expect(await find({ createdBy: member })).toEqual([theirs]);
    expect(await find({ createdBy: 'me' })).toEqual([named, plain]);
    expect(await find({ createdBy: 'me', label: 'commit:abc' })).toEqual([named]);
    expect(await find({ createdBy: missingId })).toEqual([]);
    expect(await find({ name: 'T 14 (F' })).toEqual([named]);
    expect(await find({ name: '.*' })).toEqual([]);
    expect(await find({ status: 'completed' })).toEqual([named]);
    expect(await find({ status: 'pending' })).toEqual([theirs, plain]);
    expect(await find({ status: 'pending', label: 'commit:abc' })).toEqual([theirs]);
    expect(await find({ testsetId: testset })).toEqual([]);
    expect(await find({ systemVersionId: missingId })).toEqual([]);
    expect(await find({ source: 'API', name: 'prompt' })).toEqual([named]);
    expect(await find({ source: 'Monitor' })).toEqual([]);
  });

  test('refuses a filter that is none, with its place', async () => {
    const projectId = await newProject();
    const isNone = 'must be a key and a value, such as commit:abc, and given at most 20 times';
    const refused: [Record<string, string | string[]>, string, string?][] = [
      [{ label: 'commit' }, '?label', isNone],
      [{ label: ':abc' }, '?label', isNone],
      [{ label: 'commit:' }, '?label', isNone],
      [{ label: `${'k'.repeat(65)}:v` }, '?label', isNone],
      [{ label: ['a:b', 'c'] }, '?label', isNone],
      [{ label: Array(21).fill('a:b') }, '?label', isNone],
      [{ status: 'done' }, '?status'],
      [{ name: '' }, '?name', 'must have at least 1 character'],
      [{ testsetId: ['a', 'b'] }, '?testsetId'],
    ];
    for (const [query, path, message = expect.any(String)] of refused)
      expect(issuesOf(await listed(projectId, query)), JSON.stringify(query)).toEqual([
        400,
        [{ path, message }],
      ]);
  });

  test('walked with any filters shows each run that passes them once, newest first, in full pages', async () => {
    const values = fc.record({
      labels: fc.subarray(['a:1', 'a:2', 'b:1', 'c:1']),
      testsetId: fc.constantFrom('t1', 't2', null),
      systemVersionId: fc.constantFrom('v1', 'v2', null),
      createdByUserId: fc.constantFrom('u1', 'u2', null),
      source: fc.constantFrom('API', 'Monitor'),
      name: fc.constantFrom('Alpha', 'beta', null),
      numExpectedRecords: fc.constantFrom(1, null),
    });
    const runs = fc.sample(values, { numRuns: 400, seed: 11 });
    const { projectId, ids } = await projectWithRuns(runs);
    const newestFirst = runs.toReversed();
    const statusOf = ({ numExpectedRecords }: { numExpectedRecords: number | null }) =>
      numExpectedRecords === null ? 'pending' : 'awaiting_execution';
    const filters = fc.record(
      {
        label: fc.subarray(['a:1', 'a:2', 'b:1', 'c:1', 'd:1'], { minLength: 1 }),
        testsetId: fc.constantFrom('t1', 't3'),
        systemVersionId: fc.constantFrom('v1', 'v2'),
        createdBy: fc.constantFrom('u1', 'u2'),
        source: fc.constantFrom('API', 'Monitor'),
        name: fc.constantFrom('PH', 'a', 'z'),
        status: fc.constantFrom('pending', 'awaiting_execution', 'completed'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 100 }), async (query, limit) => {
        const expected = ids.filter((_id, index) => {
          const run = newestFirst[index]!;
          return (
            (query.label ?? []).every((label) => run.labels.includes(label)) &&
            (query.testsetId ?? run.testsetId) === run.testsetId &&
            (query.systemVersionId ?? run.systemVersionId) === run.systemVersionId &&
            (query.createdBy ?? run.createdByUserId) === run.createdByUserId &&
            (query.source ?? run.source) === run.source &&
            (query.name === undefined ||
              run.name?.toLowerCase().includes(query.name.toLowerCase()) === true) &&
            (query.status ?? statusOf(run)) === statusOf(run)
          );
        });
        const { found, pages } = await walk(projectId, { ...query, limit: String(limit) });
        expect(found).toEqual(expected);
        for (const size of pages.slice(0, -1)) expect(size).toBe(limit);
      }),
      { numRuns: volume(60) },
    );
  });

  /** Looks of the database at runs, while `work` is done: how many documents each examined. */
  async function examined(work: () => Promise<void>): Promise<number[]> {
    await database().collection('system.profile').drop();
    await database().command({ profile: 2 });
    await work();
    await database().command({ profile: 0 });
    const profiled = await database()
      .collection('system.profile')
      .find({
        ns: `${database().databaseName}.runs`,
        op: { $in: ['query', 'command'] },
        // The service looks for its own due work beside.
        'command.filter.projectId': { $exists: true },
      })
      .toArray();
    return profiled.map(({ docsExamined = 0, keysExamined = 0 }) =>
      Math.max(docsExamined, keysExamined),
    );
  }

  test('reads no more runs than a page has where an index answers the filter', async () => {
    const { projectId } = await projectWithRuns(
      Array.from({ length: 2000 }, (_, index) => ({
        labels: [`parity:${index % 2}`],
        testsetId: `t${index % 2}`,
        systemVersionId: `v${index % 2}`,
        createdByUserId: `u${index % 2}`,
      })),
    );
    const filters: Record<string, string>[] = [
      { label: 'parity:0' },
      { testsetId: 't0' },
      { systemVersionId: 'v0' },
      { createdBy: 'u0' },
    ];
    for (const query of filters) {
      const read = await examined(async () => {
        expect((await listed(projectId, { ...query, limit: '10' })).body.data).toHaveLength(10);
      });
      expect(read.length).toBe(1);
      expect(read[0], JSON.stringify(query)).toBeLessThanOrEqual(12);
    }
  });

  test('reads by the rarest of several filters', async () => {
    const { projectId, ids } = await projectWithRuns(
      Array.from({ length: 1500 }, (_, index) => ({
        labels: index === 3 ? ['branch:main', 'commit:abc'] : ['branch:main'],
        testsetId: 't',
      })),
    );
    const query = { testsetId: 't', label: ['branch:main', 'commit:abc'] };
    expect(await walk(projectId, query)).toEqual({ found: [ids.at(-4)], pages: [1] });
  });

  test('looks at 1,000 runs at most for a page, and goes on with the next', async () => {
    const { projectId, ids } = await projectWithRuns(
      Array.from({ length: 2400 }, (_, index) =>
        index === 0 || index === 2399 ? { name: 'Needle' } : {},
      ),
    );
    const read = await examined(async () => {
      expect(await walk(projectId, { name: 'needle' })).toEqual({
        found: [ids[0], ids.at(-1)],
        pages: [1, 0, 1],
      });
    });
    expect(read.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2400 + 20);
  });

  test('walked in any order, made in any time, shows each run once, those of equal values by their ids', async () => {
    const made = (day: number) => new Date(Date.UTC(2026, 10, day));
    const values = fc.record({
      createdAt: fc.integer({ min: 1, max: 12 }).map(made),
      name: fc.constantFrom('Alpha', 'alpha', 'Beta', 'a/b', '"', 'Äpfel', 'Zoo 2', 'é', null),
      labels: fc.subarray(['a:1', 'b:1']),
      testsetId: fc.constantFrom('t1', 't2'),
    });
    const { projectId, ids } = await projectWithRuns(fc.sample(values, { numRuns: 300, seed: 12 }));
    const stored = await database()
      .collection<RunDocument>('runs')
      .find({ _id: { $in: ids } })
      .toArray();
    const { compare } = new Intl.Collator('en', { sensitivity: 'accent' });
    const inOrder = (sort: string, order: string) =>
      stored.toSorted((one, other) => {
        const sign = order === 'asc' ? 1 : -1;
        const byId = one._id < other._id ? -sign : sign;
        if (sort === 'createdAt') return sign * (one.createdAt - other.createdAt) || byId;
        if (one.name === null || other.name === null)
          return Number(one.name === null) - Number(other.name === null) || byId;
        return sign * compare(one.name, other.name) || byId;
      });
    const asked = fc.record(
      {
        sort: fc.constantFrom('createdAt', 'name'),
        order: fc.constantFrom('asc', 'desc'),
        from: fc.integer({ min: 0, max: 13 }),
        to: fc.integer({ min: 0, max: 13 }),
        label: fc.subarray(['a:1', 'b:1'], { minLength: 1 }),
        testsetId: fc.constantFrom('t1', 't3'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(asked, fc.integer({ min: 1, max: 100 }), async (query, limit) => {
        const { sort = 'createdAt', from = 0, to = 14, label = [], testsetId } = query;
        const order = query.order ?? (sort === 'name' ? 'asc' : 'desc');
        const expected = inOrder(sort, order).filter(
          (run) =>
            run.createdAt >= made(from) &&
            run.createdAt < made(to) &&
            label.every((each) => run.labels.includes(each)) &&
            (testsetId ?? run.testsetId) === run.testsetId,
        );
        const { from: _from, to: _to, ...others } = query;
        const { found } = await walk(projectId, {
          ...others,
          ...(query.from === undefined ? {} : { from: made(from).toISOString() }),
          ...(query.to === undefined ? {} : { to: made(to).toISOString() }),
          limit: String(limit),
        });
        expect(found).toEqual(expected.map(({ _id }) => _id));
      }),
      { numRuns: volume(80) },
    );
  });

  test('goes on behind a run that is gone, in the order of names too', async () => {
    const { projectId, ids } = await projectWithRuns(
      ['d', 'c', 'b', 'a'].map((name) => ({ name })),
    );
    const [a, b, c, d] = ids;
    const query = { sort: 'name', limit: '2' };
    const first = (await listed(projectId, query)).body;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual([a, b]);
    expect((await request('DELETE', `/runs/${b}`)).status).toBe(200);
    const rest = await listed(projectId, { ...query, cursor: first.nextCursor });
    expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual([c, d]);
    for (const other of [{ limit: '2' }, { ...query, order: 'desc' }])
      expect(issuesOf(await listed(projectId, { ...other, cursor: first.nextCursor }))).toEqual([
        400,
        [{ path: '?cursor', message: 'must be a nextCursor of this same list' }],
      ]);
  });

  test('refuses times and orders that it does not know', async () => {
    const projectId = await newProject();
    for (const [name, value] of [
      ['from', '2026-11-20'],
      ['to', 'yesterday'],
      ['sort', 'status'],
      ['order', 'newest'],
    ] as const)
      expect(issuesOf(await listed(projectId, { [name]: value })), name).toEqual([
        400,
        [{ path: `?${name}`, message: expect.any(String) }],
      ]);
  });

  test("shows nobody else's runs, in any order", async () => {
    const { projectId } = await projectWithRuns([{ name: 'Theirs' }]);
    const stranger = { identity: { organizationId: newId(), userId: newId() } };
    for (const sort of ['createdAt', 'name'])
      expect(
        (await request('GET', `/projects/${projectId}/runs?sort=${sort}`, undefined, stranger))
          .status,
      ).toBe(404);
  });

  test('reads no more than a page of 5,000 runs in any order, at its end too', async () => {
    const { projectId, ids } = await projectWithRuns(
      Array.from({ length: 5000 }, (_, index) => ({
        name: index % 10 === 0 ? null : `Run ${String(index).padStart(4, '0')}`,
        createdAt: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000),
        testsetId: `t${index % 2}`,
      })),
    );
    const from = new Date(Date.UTC(2026, 0, 1) + 2500 * 3_600_000).toISOString();
    for (const query of [
      { sort: 'createdAt', order: 'asc' },
      { sort: 'name', order: 'asc' },
      { sort: 'name', order: 'desc' },
      { from, order: 'asc' },
      { to: from },
      { to: from, testsetId: 't0' },
    ] as Record<string, string>[]) {
      const read = await examined(async () => {
        expect((await listed(projectId, { ...query, limit: '10' })).body.data).toHaveLength(10);
      });
      expect(Math.max(...read), JSON.stringify(query)).toBeLessThanOrEqual(12);
    }
    expect((await listed(projectId, { to: from, limit: '1' })).body.data[0].id).toBe(ids[2500]);
  });
});
