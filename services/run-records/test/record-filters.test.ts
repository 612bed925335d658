import { newId } from '@assay/runtime/ids';
import { asMember, missingId, payloads, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomesOf } from '../src/domain/accounts/outcomes.ts';
import { migrations } from '../src/migrations.ts';

// Nobody but the tests reads runs: the work of the database is measured.
const { config, identity, newMember, newMetric, newRecord, newRun, request } = useRunRecords({
  config: { RESULTS_QUIET_MS: 3_600_000 },
});

type RecordDocument = Document & { _id: string };

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(config().MONGODB_URI);
});
afterAll(() => client.close());
const database = () => client.db(`${config().DATABASE_PREFIX}_run-records`);
const records = () => database().collection<RecordDocument>('records');

/** A run with a boolean, an int and a float metric, and the ids of their versions. */
async function newScoredRun() {
  const metricIds = [];
  for (const outputType of ['boolean', 'int', 'float'])
    metricIds.push(await newMetric({ evalType: 'human', outputType }));
  const run = await newRun({ metricIds });
  const [boolean, int, float] = run.metricVersionIds as string[];
  return { run, versions: { boolean: boolean!, int: int!, float: float! } };
}

type Versions = Awaited<ReturnType<typeof newScoredRun>>['versions'];

/** What a score of a record may be: a state, or a value; null is one that does not fit. */
type State = 'pending' | 'awaited' | 'failed' | 'none' | boolean | number | null;

interface ModelRecord {
  boolean: State;
  int: State;
  float: State;
  tags: string[];
  assignees: string[];
  hasAnnotations: boolean;
  testcaseId: string | null;
}

const outputTypes = ['boolean', 'int', 'float'] as const;
type OutputType = (typeof outputTypes)[number];

/** Puts records in past the service; returns their ids, oldest first. */
async function insertRecords(runId: string, versions: Versions, model: ModelRecord[]) {
  const { id } = (await newRecord(runId, payloads)).body;
  const stored = (await records().findOne({ _id: id }))!;
  await records().deleteOne({ _id: id });
  const run = await database().collection<RecordDocument>('runs').findOne({ _id: runId });
  const documents = model.map((record) => {
    const statesOf = (wanted: State) =>
      outputTypes.filter((type) => record[type] === wanted).map((type) => versions[type]);
    const states = {
      pending: statesOf('pending'),
      awaited: statesOf('awaited'),
      failures: statesOf('failed').map((metricVersionId) => ({ metricVersionId })),
      scores: outputTypes.flatMap((type) =>
        typeof record[type] === 'string'
          ? []
          : [
              {
                metricVersionId: versions[type],
                userId: 'u',
                text: '{}',
                value: record[type],
                source: 'human',
                createdAt: new Date(),
              },
            ],
      ),
    };
    const outcomes = outcomesOf(run!.metrics, states as never);
    const { outcomes: _outcomes, tags: _tags, ...rest } = stored;
    return {
      ...rest,
      ...states,
      _id: newId(),
      failed: states.failures.length,
      assignees: record.assignees.map((assigneeUserId) => ({ assigneeUserId })),
      testcaseId: record.testcaseId,
      ...(record.tags.length > 0 ? { tags: record.tags.map((text) => ({ text })) } : {}),
      ...(outcomes.length > 0 ? { outcomes } : {}),
      ...(record.hasAnnotations ? { hasAnnotations: true } : {}),
    };
  });
  await records().insertMany(documents);
  return documents.map(({ _id }) => _id);
}

interface Query {
  metric?: OutputType;
  outcome?: string;
  value?: boolean | number;
  min?: number;
  max?: number;
  assignee?: string;
  hasAnnotations?: boolean;
  testcaseId?: string;
  tags?: string[];
  order?: 'asc' | 'desc';
  sort?: OutputType;
}

function pathOf(runId: string, versions: Versions, { metric, sort, tags, ...rest }: Query) {
  const query = new URLSearchParams();
  if (metric) query.set('metricVersionId', versions[metric]);
  if (sort) query.set('sort', `value:${versions[sort]}`);
  for (const tag of tags ?? []) query.append('tags', tag);
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) query.set(name, String(value));
  return `/runs/${runId}/records?${query}`;
}

async function walk(path: string, limit: number): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let pages = 0;
  for (let cursor = ''; ; ) {
    const { status, body } = await request('GET', `${path}&limit=${limit}${cursor}`);
    expect(status, JSON.stringify(body)).toBe(200);
    pages += 1;
    expect(body.data.length).toBeLessThanOrEqual(limit);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    expect(body.hasMore).toBe(body.nextCursor !== null);
    if (!body.hasMore) return { ids, pages };
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** The rules again, over plain objects. */
function expected(model: ModelRecord[], ids: string[], query: Query): string[] {
  const isValue = (state: State): state is boolean | number =>
    typeof state === 'boolean' || typeof state === 'number';
  const passes = (type: OutputType, value: boolean | number) =>
    type === 'boolean' ? value === true : (value as number) >= (type === 'int' ? 4 : 0.9);
  const matches = (record: ModelRecord): boolean => {
    const { metric, outcome, value, min, max, assignee, hasAnnotations, testcaseId, tags } = query;
    const state = metric && record[metric];
    if (outcome === 'pass' || outcome === 'fail') {
      if (!isValue(state!) || passes(metric!, state) !== (outcome === 'pass')) return false;
    } else if (outcome !== undefined && state !== outcome) return false;
    if (value !== undefined && state !== value) return false;
    if (min !== undefined && !(isValue(state!) && Number(state) >= min)) return false;
    if (max !== undefined && !(isValue(state!) && Number(state) <= max)) return false;
    if (assignee !== undefined) {
      const userId = assignee === 'me' ? identity().userId : assignee;
      if (!record.assignees.includes(userId)) return false;
    }
    if (hasAnnotations !== undefined && record.hasAnnotations !== hasAnnotations) return false;
    if (testcaseId !== undefined && record.testcaseId !== testcaseId) return false;
    return (tags ?? []).every((tag) => record.tags.includes(tag));
  };
  const sign = query.order === 'desc' ? -1 : 1;
  const found = model.flatMap((record, index) =>
    matches(record) ? [{ id: ids[index]!, state: query.sort && record[query.sort] }] : [],
  );
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -sign : sign);
  if (!query.sort) return found.sort(byId).map(({ id }) => id);
  const withValue = found.filter(({ state }) => isValue(state!));
  const without = found.filter(({ state }) => !isValue(state!) && state !== 'none');
  withValue.sort((one, other) =>
    one.state === other.state ? byId(one, other) : sign * (Number(one.state) - Number(other.state)),
  );
  return [...withValue, ...without.sort(byId)].map(({ id }) => id);
}

const floats = [0, 0.25, 0.5, 0.75, 0.89, 0.9, 0.95, 1, 0.123456789, 1e-9];
const stateless = ['pending', 'awaited', 'failed', 'none', null] as const;
const testcaseIds = [newId(), newId()];

const modelOf = (members: string[]): fc.Arbitrary<ModelRecord> =>
  fc.record({
    boolean: fc.constantFrom<State>(true, false, true, false, ...stateless),
    int: fc.constantFrom<State>(1, 2, 3, 4, 5, ...stateless),
    float: fc.constantFrom<State>(...floats, ...stateless),
    tags: fc.subarray(['a', 'b']),
    assignees: fc.subarray(members),
    hasAnnotations: fc.boolean(),
    testcaseId: fc.constantFrom(null, ...testcaseIds),
  });

const ofMetric = fc.oneof(
  fc.record({
    metric: fc.constantFrom(...outputTypes),
    outcome: fc.constantFrom('pass', 'fail', 'failed', 'pending', 'awaited'),
  }),
  fc.record({ metric: fc.constant('boolean' as const), value: fc.boolean() }),
  fc.record({
    metric: fc.constant('int' as const),
    value: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ metric: fc.constant('float' as const), value: fc.constantFrom(...floats) }),
  fc
    .record({
      metric: fc.constantFrom('int' as const, 'float' as const),
      bounds: fc.tuple(fc.constantFrom(...floats, 2, 3.5), fc.constantFrom(...floats, 4, 5)),
      given: fc.constantFrom('min', 'max', 'both'),
      outcome: fc.option(fc.constantFrom('pass', 'fail'), { nil: undefined }),
    })
    .map(({ metric, bounds, given, outcome }) => ({
      metric,
      outcome,
      ...(given === 'max' ? {} : { min: Math.min(...bounds) }),
      ...(given === 'min' ? {} : { max: Math.max(...bounds) }),
    })),
);

const queryOf = (members: string[]): fc.Arbitrary<Query> =>
  fc
    .tuple(
      fc.option(ofMetric, { nil: {} }),
      fc.record(
        {
          assignee: fc.constantFrom('me', ...members),
          hasAnnotations: fc.boolean(),
          testcaseId: fc.constantFrom(...testcaseIds),
          tags: fc.subarray(['a', 'b'], { minLength: 1 }),
          order: fc.constantFrom('asc' as const, 'desc' as const),
          sort: fc.constantFrom(...outputTypes),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([metric, rest]) => ({ ...metric, ...rest }));

test('a walk by any filters, in any order, finds each record that matches once', async () => {
  const { run, versions } = await newScoredRun();
  const members = [identity().userId, await newMember()];
  const model = fc.sample(modelOf(members), { numRuns: 150, seed: 4 });
  const ids = await insertRecords(run.id, versions, model);
  await fc.assert(
    fc.asyncProperty(queryOf(members), fc.integer({ min: 1, max: 40 }), async (query, limit) => {
      const { ids: found } = await walk(pathOf(run.id, versions, query), limit);
      expect(found).toEqual(expected(model, ids, query));
    }),
    { numRuns: volume(250) },
  );
});

describe('what a page reads', () => {
  const count = 6000;
  let runId: string;
  let versions: Versions;
  let model: ModelRecord[];
  let ids: string[];
  beforeAll(async () => {
    const made = await newScoredRun();
    runId = made.run.id;
    versions = made.versions;
    model = Array.from({ length: count }, (_, index) => ({
      boolean: index % 2 === 0,
      int: index === count - 3 ? 'pending' : 1 + (index % 5),
      float:
        index === count - 2 ? 'failed' : (index * 7919) % 100 === 0 ? 0.99 : (index % 89) / 100,
      tags: index % 1500 === 1499 ? ['rare'] : ['common'],
      assignees: index === count - 1 ? [identity().userId] : [],
      hasAnnotations: index === count - 1,
      testcaseId: index === count - 1 ? testcaseIds[0]! : null,
    }));
    ids = await insertRecords(runId, versions, model);
  });

  /** The most documents that any query of a walk examines. */
  async function examined(query: Query, limit: number) {
    await database().command({ profile: 0 });
    await database().collection('system.profile').drop();
    await database().command({ profile: 2 });
    const walked = await walk(pathOf(runId, versions, query), limit);
    await database().command({ profile: 0 });
    expect(walked.ids).toEqual(expected(model, ids, query));
    const profiled = await database()
      .collection('system.profile')
      .find({ ns: `${database().databaseName}.records`, op: 'query' })
      .toArray();
    expect(profiled.some(({ hasSortStage }) => hasSortStage)).toBe(false);
    const most = Math.max(
      ...profiled.map(({ docsExamined, keysExamined }) => Math.max(docsExamined, keysExamined)),
    );
    return { most, pages: walked.pages };
  }

  test.each<[string, Query]>([
    ['pass of a boolean', { metric: 'boolean', outcome: 'pass' }],
    ['fail of an int', { metric: 'int', outcome: 'fail' }],
    ['fail of a float, newest first', { metric: 'float', outcome: 'fail', order: 'desc' }],
    ['a rare pass of a float', { metric: 'float', outcome: 'pass' }],
    ['one pending score', { metric: 'int', outcome: 'pending' }],
    ['one failed score', { metric: 'float', outcome: 'failed' }],
    ['a value', { metric: 'int', value: 4 }],
    ['values of an int', { metric: 'int', min: 2, max: 3 }],
    ['an assignee', { assignee: 'me' }],
    ['annotations', { hasAnnotations: true }],
    ['a testcase', { testcaseId: testcaseIds[0]! }],
    ['the order of values', { sort: 'float' }],
    ['the order of values, highest first', { sort: 'float', order: 'desc' }],
    ['the order of values that many records share', { sort: 'boolean', order: 'desc' }],
    ['values of a float in their order', { metric: 'float', min: 0.5, max: 0.6, sort: 'float' }],
    [
      'what fails, highest first',
      { metric: 'float', outcome: 'fail', sort: 'float', order: 'desc' },
    ],
  ])('is no more than the page, by %s', async (_what, query) => {
    const { most } = await examined(query, 100);
    expect(most).toBeLessThanOrEqual(2 * 101 + 10);
  });

  test.each<[string, Query]>([
    ['a range of a float', { metric: 'float', min: 0.98 }],
    ['no annotations and no testcase', { hasAnnotations: false, metric: 'float', min: 0.98 }],
    ['a common tag and values in their order', { sort: 'int', tags: ['rare'], order: 'desc' }],
    ['two outcomes', { metric: 'float', outcome: 'pass', sort: 'boolean' }],
    ['a common outcome and the common tag', { metric: 'boolean', value: true, tags: ['common'] }],
  ])('is 2,000 records at most where no index answers the filters, by %s', async (_what, query) => {
    const { most } = await examined(query, 100);
    expect(most).toBeLessThanOrEqual(2000 + 10);
  });

  test('begins at the rarest of several filters', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const query: Query = { metric: 'boolean', value: false, tags: ['rare'], order };
      const { most, pages } = await examined(query, 100);
      expect(most).toBeLessThanOrEqual(210);
      expect(pages).toBe(1);
    }
  });
});

describe('outcomes', () => {
  const listed = async (runId: string, query: string) => {
    const { status, body } = await request('GET', `/runs/${runId}/records?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data.map(({ id }: { id: string }) => id);
  };

  test('follow every change of a score', async () => {
    const { run, versions } = await newScoredRun();
    const { id } = (await newRecord(run.id)).body;
    const score = `/records/${id}/scores/${versions.float}`;
    const outcome = (wanted: string) =>
      listed(run.id, `metricVersionId=${versions.float}&outcome=${wanted}`);
    expect(await outcome('awaited')).toEqual([id]);
    await request('PUT', score, { score: { floatScore: 0.95 } });
    expect(await outcome('awaited')).toEqual([]);
    expect(await outcome('pass')).toEqual([id]);
    await request('PUT', score, { score: { floatScore: 0.2 } });
    expect(await outcome('pass')).toEqual([]);
    expect(await outcome('fail')).toEqual([id]);
    await request('PUT', score, { score: { floatScore: 'high' } });
    for (const wanted of ['pass', 'fail', 'awaited']) expect(await outcome(wanted)).toEqual([]);
    expect(await listed(run.id, `sort=value:${versions.float}`)).toEqual([id]);
    await request('DELETE', score);
    expect(await outcome('awaited')).toEqual([id]);
  });

  test('of several annotators are those of the value that the summary counts', async () => {
    const metricId = await newMetric({ evalType: 'human', outputType: 'int', annotators: 3 });
    const run = await newRun({ metricIds: [metricId] });
    const [version] = run.metricVersionIds;
    const { id } = (await newRecord(run.id)).body;
    for (const [index, value] of [1, 4, 5].entries()) {
      expect(await listed(run.id, `metricVersionId=${version}&outcome=awaited`)).toEqual([id]);
      const member = index === 0 ? identity().userId : await newMember();
      const body = { score: { intScore: value } };
      await request('PUT', `/records/${id}/scores/${version}`, body, asMember(member));
    }
    expect(await listed(run.id, `metricVersionId=${version}&outcome=pass`)).toEqual([id]);
    expect(await listed(run.id, `metricVersionId=${version}&value=4`)).toEqual([id]);
    expect(await listed(run.id, `metricVersionId=${version}&value=5`)).toEqual([]);
  });

  test('a record counts as annotated from its first annotation on', async () => {
    const run = await newRun();
    const [first, second] = [(await newRecord(run.id)).body.id, (await newRecord(run.id)).body.id];
    expect(await listed(run.id, 'hasAnnotations=true')).toEqual([]);
    await request('POST', `/records/${second}/annotations`, { rating: true });
    expect(await listed(run.id, 'hasAnnotations=true')).toEqual([second]);
    expect(await listed(run.id, 'hasAnnotations=false')).toEqual([first]);
  });

  test('of records of earlier releases are filled in, and may be so again', async () => {
    const { run, versions } = await newScoredRun();
    const { id } = (await newRecord(run.id)).body;
    await request('PUT', `/records/${id}/scores/${versions.int}`, { score: { intScore: 2 } });
    await request('POST', `/records/${id}/annotations`, { rating: true });
    const before = await records().findOne({ _id: id });
    await records().updateOne({ _id: id }, { $unset: { outcomes: '', hasAnnotations: '' } });
    const migration = migrations.find(({ name }) => name === '9-record-filters')!;
    for (let time = 0; time < 2; time++) await migration.up(database() as never);
    expect(await records().findOne({ _id: id })).toEqual(before);
  });
});

test('a filter without its partner, or of another run, is a 400 with its place', async () => {
  const { run, versions } = await newScoredRun();
  const other = await newScoredRun();
  const of = (type: OutputType) => `metricVersionId=${versions[type]}`;
  const wrong: [string, string[]][] = [
    ['outcome=pass', ['?outcome']],
    ['value=4&min=1&max=2', ['?value', '?min', '?max']],
    [of('int'), ['?metricVersionId']],
    [`metricVersionId=${missingId}&outcome=pass`, ['?metricVersionId']],
    [`metricVersionId=${other.versions.int}&outcome=pass`, ['?metricVersionId']],
    [`${of('int')}&min=4&max=2`, ['?min']],
    [`${of('int')}&value=true`, ['?value']],
    [`${of('int')}&value=1.5`, ['?value']],
    [`${of('float')}&value=2`, ['?value']],
    [`${of('boolean')}&value=1`, ['?value']],
    [`${of('boolean')}&min=0&max=1`, ['?min', '?max']],
    [`${of('int')}&outcome=passed`, ['?outcome']],
    [`${of('int')}&value=null`, ['?value']],
    [`${of('int')}&min=0x10`, ['?min']],
    ['hasAnnotations=1', ['?hasAnnotations']],
    ['assignee=', ['?assignee']],
    ['order=up', ['?order']],
    ['sort=id', ['?sort']],
    [`sort=value:${other.versions.int}`, ['?sort']],
  ];
  for (const [query, paths] of wrong) {
    const { status, body } = await request('GET', `/runs/${run.id}/records?${query}`);
    expect([query, status, body.code]).toEqual([query, 400, 'VALIDATION_ERROR']);
    expect(body.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths);
  }
});

test('filters show nothing of another organization, and take none of its cursors', async () => {
  const { run, versions } = await newScoredRun();
  for (let index = 0; index < 3; index++)
    await newRecord(run.id, { tags: ['t'], testcaseId: undefined });
  const stranger = { identity: { organizationId: newId(), userId: newId() } };
  const query = `metricVersionId=${versions.int}&outcome=awaited&sort=value:${versions.int}&limit=1`;
  const own = await request('GET', `/runs/${run.id}/records?${query}`);
  expect(own.body.hasMore).toBe(true);
  const path = `/runs/${run.id}/records?${query}`;
  expect((await request('GET', path, undefined, stranger)).status).toBe(404);
  const next = `${path}&cursor=${own.body.nextCursor}`;
  expect((await request('GET', next)).status).toBe(200);
  expect((await request('GET', next, undefined, stranger)).status).toBe(400);
  const otherOrder = `${path}&order=desc&cursor=${own.body.nextCursor}`;
  expect((await request('GET', otherOrder)).status).toBe(400);
});
