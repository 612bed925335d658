import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { missingId, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

const { config, create, identity, request } = useRunRecords();

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_run-records`,
  });
});
afterAll(() => database.close());

const metricId = newId();
const madeAt = (day: number) => new Date(Date.UTC(2026, 0, 1 + day));

interface MadeRun {
  id: string;
  mean: number | null;
  day: number;
  labels: string[];
}

/** A project with runs that have these means, put in past the service. */
async function projectWith(
  drawn: Omit<MadeRun, 'id'>[],
  owner = identity(),
): Promise<{ projectId: string; runs: MadeRun[] }> {
  const projectId = (await create('/projects', { name: 'means', description: '' })).id;
  const { id } = await create(`/projects/${projectId}/runs`, { metricIds: [] });
  const collection = database.collection<{ _id: string }>('runs');
  const model = (await collection.findOne({ _id: id }))!;
  await collection.deleteOne({ _id: id });
  const runs = drawn.map((run) => ({ ...run, id: newId() }));
  const { organizationId } = owner;
  if (runs.length > 0)
    await collection.insertMany(
      runs.map(({ id: _id, labels, day }) => ({
        ...model,
        _id,
        organizationId,
        labels,
        createdAt: madeAt(day),
      })),
    );
  const means = runs.filter(({ mean }) => mean !== null);
  if (means.length > 0)
    await database.collection<{ _id: string }>('run_means').insertMany(
      means.map(({ id: runId, mean, day }) => ({
        _id: `${runId}/${metricId}`,
        organizationId,
        projectId,
        runId,
        metricId,
        createdAt: madeAt(day),
        mean,
      })) as never,
    );
  return { projectId, runs };
}

/** The ids of all pages of a list. */
async function walk(projectId: string, query: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = {}; ; ) {
    const search = new URLSearchParams({ ...query, ...cursor });
    const { status, body } = await request('GET', `/projects/${projectId}/runs?${search}`);
    expect(status, JSON.stringify(body)).toBe(200);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.hasMore) return found;
    cursor = { cursor: body.nextCursor };
  }
}

test('runs are in the order of a mean, between bounds of it, with every other filter, page by page', async () => {
  const run = fc.record({
    mean: fc.option(fc.constantFrom(0, 0.25, 0.5, 0.5, 0.75, 1), { nil: null }),
    day: fc.nat({ max: 5 }),
    labels: fc.subarray(['branch:main', 'commit:abc']),
  });
  const asked = fc.record({
    sort: fc.constantFrom('mean', 'createdAt'),
    order: fc.constantFrom('asc', 'desc'),
    min: fc.option(fc.constantFrom(0.25, 0.5), { nil: undefined }),
    max: fc.option(fc.constantFrom(0.5, 0.75), { nil: undefined }),
    from: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    label: fc.option(fc.constant('branch:main'), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 12 }), asked, async (drawn, query) => {
      const { projectId, runs } = await projectWith(drawn);
      const { sort, order, min = -Infinity, max = Infinity, from, label, limit } = query;
      const sign = order === 'asc' ? 1 : -1;
      const passing = runs.filter(
        ({ mean, day, labels }) =>
          mean !== null &&
          mean >= min &&
          mean <= max &&
          day >= (from ?? 0) &&
          (label === undefined || labels.includes(label)),
      );
      const placed = ({ mean, day }: MadeRun) => (sort === 'mean' ? mean! : day);
      const expected = passing.toSorted(
        (a, b) => sign * (placed(a) - placed(b) || (a.id < b.id ? -1 : 1)),
      );
      const found = await walk(projectId, {
        metricId,
        sort,
        order,
        limit: String(limit),
        ...(query.min === undefined ? {} : { min: String(query.min) }),
        ...(query.max === undefined ? {} : { max: String(query.max) }),
        ...(from === undefined ? {} : { from: madeAt(from).toISOString() }),
        ...(label === undefined ? {} : { label }),
      });
      expect(found).toEqual(expected.map(({ id }) => id));
    }),
    { numRuns: volume(60) },
  );
});

test('the greatest mean comes first where no order is named, and a deleted run is left out', async () => {
  const { projectId, runs } = await projectWith(
    [0.5, 0.9, 0.7].map((mean) => ({ mean, day: 0, labels: [] })),
  );
  const [middle, best, second] = runs.map(({ id }) => id);
  const query = { metricId, sort: 'mean' };
  expect(await walk(projectId, query)).toEqual([best, second, middle]);
  await request('DELETE', `/runs/${best}`);
  expect(await walk(projectId, { ...query, limit: '1' })).toEqual([second, middle]);
});

test("another organization's runs are in no order of means", async () => {
  const { projectId } = await projectWith([{ mean: 1, day: 0, labels: [] }], {
    ...identity(),
    organizationId: missingId,
  });
  expect(await walk(projectId, { metricId, sort: 'mean' })).toEqual([]);
});

test('a mean of no metric, and bounds that exclude everything, are refused in their places', async () => {
  const { projectId } = await projectWith([]);
  const refused = async (query: string) => {
    const { status, body } = await request('GET', `/projects/${projectId}/runs?${query}`);
    return [status, body.details.issues[0].path];
  };
  for (const query of ['sort=mean', 'min=0.5', 'max=1'])
    expect(await refused(query)).toEqual([400, '?metricId']);
  expect(await refused(`metricId=${metricId}&min=0.9&max=0.1`)).toEqual([400, '?min']);
  expect(await refused(`metricId=${metricId}&min=high`)).toEqual([400, '?min']);
});
