import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const { request, projectId: projectOfAll, newMetric, newMember, newRecord } = useRunRecords();

interface Item {
  record: { id: string };
  metric: { id: string; metricVersionId: string };
}
type As = Parameters<typeof request>[3];

const human = { evalType: 'human', outputType: 'int' };
const asOther = { identity: { organizationId: missingId } };

/** A run with human metrics and records, oldest first. */
async function reviewed({ metrics = [{}], records = 1, ...rest }: Partial<Setting> = {}) {
  const { projectId = projectOfAll() } = rest;
  const create = async (metric: object) =>
    (await request('POST', `/projects/${projectId}/metrics`, { name: 'm', ...human, ...metric }))
      .body.id as string;
  const metricIds = rest.metricIds ?? (await inTurn(metrics, create));
  const run = (await request('POST', `/projects/${projectId}/runs`, { metricIds })).body;
  const recordIds = await inTurn(
    Array.from({ length: records }),
    async () => (await newRecord(run.id)).body.id as string,
  );
  return { run, recordIds, versionIds: run.metricVersionIds as string[], metricIds };
}

interface Setting {
  projectId: string;
  metrics: object[];
  /** In place of `metrics`. */
  metricIds: string[];
  records: number;
}

/** One after the other, so that ids are in this order. */
async function inTurn<Item, Made>(
  items: Item[],
  make: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}

const newProject = async () =>
  (await request('POST', '/projects', { name: 'p', description: '' })).body.id as string;

const assign = (recordId: string, assigneeUserId: string) =>
  request('POST', `/records/${recordId}/assignees`, { assigneeUserId });

const give = (recordId: string, versionId: string, as?: As) =>
  request('PUT', `/records/${recordId}/scores/${versionId}`, { score: { value: 4 } }, as);

const queue = (query: string, as?: As) => request('GET', `/review-queue?${query}`, undefined, as);

const keyOf = ({ record, metric }: Item) => `${record.id}/${metric.metricVersionId}`;

const recordsOf = async (query: string, as?: As) =>
  ((await queue(query, as)).body.data as Item[]).map(({ record }) => record.id);

async function walk(
  query: string,
  { as, between }: { as?: As; between?: () => Promise<unknown> } = {},
): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await queue(`${query}${cursor}`, as);
    seen.push(...(body.data as Item[]).map(keyOf));
    expect(body.hasMore).toBe(body.nextCursor !== null);
    if (!body.hasMore) return seen;
    cursor = `&cursor=${body.nextCursor}`;
    await between?.();
  }
}

describe('the review queue', () => {
  test('tells what has to be scored, by what guidelines, for whom, and how many have done so', async () => {
    const { run, recordIds, metricIds, versionIds } = await reviewed({
      metrics: [{ name: 'Tone', guidelines: 'Is it kind?', annotators: 2 }],
    });
    const [ada, bob] = [await newMember(), await newMember()];
    await assign(recordIds[0]!, bob);
    await give(recordIds[0]!, versionIds[0]!, asMember(ada));
    const reply = await queue(`runId=${run.id}`);
    // What others said is not shown to whoever scores.
    const { scores, missingScores, ...record } = (await request('GET', `/records/${recordIds[0]}`))
      .body;
    expect([scores.length, missingScores.length]).toEqual([1, 1]);
    expect(reply.body).toEqual({
      data: [
        {
          record,
          metric: {
            id: metricIds[0],
            metricVersionId: versionIds[0],
            name: 'Tone',
            outputType: 'int',
            guidelines: 'Is it kind?',
            annotators: 2,
          },
          assigneeUserIds: [bob],
          given: 1,
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
  });

  test('has an item for each missing score of people, oldest record first, and none that the service or a client makes', async () => {
    const metrics = [
      {},
      { outputType: 'boolean' },
      { evalType: 'heuristic', outputType: 'boolean' },
    ];
    const { run, recordIds, versionIds } = await reviewed({ metrics, records: 3 });
    const people = versionIds.slice(0, 2).sort();
    const all = recordIds.flatMap((record) => people.map((version) => `${record}/${version}`));
    expect(await walk(`runId=${run.id}&limit=2`)).toEqual(all);
    await give(recordIds[1]!, people[0]!);
    expect(await walk(`runId=${run.id}&limit=2`)).toEqual(all.filter((key) => key !== all[2]));
    await request('DELETE', `/records/${recordIds[1]}/scores/${people[0]}`);
    await request('DELETE', `/records/${recordIds[0]}`);
    expect(await walk(`runId=${run.id}`)).toEqual(all.slice(2));
  });

  test('of a project has what its runs wait for, and can be narrowed to a metric and a run', async () => {
    const projectId = await newProject();
    const first = await reviewed({ projectId, metrics: [{}, {}], records: 2 });
    const second = await reviewed({ projectId, records: 1 });
    expect(await walk(`projectId=${projectId}&limit=1`)).toHaveLength(5);
    expect(await walk(`projectId=${projectId}&metricId=${second.metricIds[0]}`)).toEqual([
      `${second.recordIds[0]}/${second.versionIds[0]}`,
    ]);
    expect(
      await walk(
        `projectId=${projectId}&runId=${first.run.id}&metricId=${first.metricIds[1]}&limit=1`,
      ),
    ).toEqual(first.recordIds.map((record) => `${record}/${first.versionIds[1]}`));
    expect(await walk(`projectId=${projectId}&metricId=${missingId}`)).toEqual([]);
    expect(await walk(`runId=${first.run.id}&metricId=${second.metricIds[0]}`)).toEqual([]);
  });

  test('shows a member what is assigned to that member or to nobody, and an admin everything', async () => {
    const { run, recordIds } = await reviewed({ records: 4 });
    const [ada, bob] = [await newMember(), await newMember()];
    const [both, hers, his, free] = recordIds as [string, string, string, string];
    for (const record of [both, hers]) await assign(record, ada);
    for (const record of [both, his]) await assign(record, bob);
    const query = `runId=${run.id}`;
    expect(await recordsOf(query)).toEqual(recordIds);
    expect(await recordsOf(query, asMember(ada))).toEqual([both, hers, free]);
    expect(await recordsOf(query, asMember(bob))).toEqual([both, his, free]);
    expect(await recordsOf(`${query}&assigneeUserId=${bob}`)).toEqual([both, his]);
    expect(await recordsOf(`${query}&assigneeUserId=${bob}`, asMember(ada))).toEqual([both, his]);
    await request('DELETE', `/records/${his}/assignees/${bob}`);
    expect(await recordsOf(query, asMember(ada))).toEqual([both, hers, his, free]);
    await assign(free, bob);
    expect(await recordsOf(query, asMember(ada))).toEqual([both, hers, his]);
    expect(await recordsOf(`${query}&assigneeUserId=${bob}`)).toEqual([both, free]);
  });

  test('does not ask a member again for a score that this member gave while others are missing', async () => {
    const { run, recordIds, versionIds } = await reviewed({
      metrics: [{ annotators: 2 }],
      records: 3,
    });
    const [ada, bob] = [await newMember(), await newMember()];
    const [one, two, three] = recordIds as [string, string, string];
    await assign(one, ada);
    await give(one, versionIds[0]!, asMember(ada));
    await give(two, versionIds[0]!, asMember(ada));
    await request('PUT', `/records/${three}/scores/${versionIds[0]}`, {}, asMember(ada));
    const query = `runId=${run.id}`;
    expect(await recordsOf(query, asMember(ada))).toEqual([three]);
    expect(await recordsOf(`${query}&assigneeUserId=${ada}`)).toEqual([]);
    expect(await recordsOf(query, asMember(bob))).toEqual([two, three]);
    expect(await recordsOf(query)).toEqual(recordIds);
    await request('DELETE', `/records/${one}/scores/${versionIds[0]}?userId=${ada}`);
    expect(await recordsOf(`${query}&assigneeUserId=${ada}`)).toEqual([one]);
  });

  test('goes on while a run is paused', async () => {
    const { run, recordIds } = await reviewed();
    await request('POST', `/runs/${run.id}/pause`);
    expect(await recordsOf(`runId=${run.id}`)).toEqual(recordIds);
  });

  test('walked to its end while others score, shows every score that was missing throughout exactly once', async () => {
    const members = [await newMember(), await newMember(), await newMember()];
    const place = { record: fc.nat(5), metric: fc.nat(1), member: fc.constantFrom(...members) };
    const change = fc.record({ ...place, isGiven: fc.boolean() });
    const metricIds = [
      await newMetric({ ...human, annotators: 2 }),
      await newMetric({ ...human, annotators: 2 }),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(change, { maxLength: 30 }),
        async (limit, changes) => {
          const { run, recordIds, versionIds } = await reviewed({ metricIds, records: 6 });
          const all = recordIds.flatMap((record) =>
            versionIds.toSorted().map((version) => `${record}/${version}`),
          );
          const given = new Set<string>();
          const isMissing = (key: string) =>
            members.filter((member) => given.has(`${key}/${member}`)).length < 2;
          let throughout = all;
          const make = async ({ record, metric, member, isGiven }: (typeof changes)[number]) => {
            const [recordId, versionId] = [recordIds[record]!, versionIds[metric]!];
            if (isGiven) await give(recordId, versionId, asMember(member));
            else
              await request('DELETE', `/records/${recordId}/scores/${versionId}?userId=${member}`);
            given[isGiven ? 'add' : 'delete'](`${recordId}/${versionId}/${member}`);
            throughout = throughout.filter(isMissing);
          };
          const waiting = [...changes];
          const seen = await walk(`runId=${run.id}&limit=${limit}`, {
            between: async () => {
              for (const change of waiting.splice(0, 4)) await make(change);
            },
          });
          expect(seen).toEqual(all.filter((key) => seen.includes(key)));
          expect(throughout.filter((key) => !seen.includes(key))).toEqual([]);
        },
      ),
      { numRuns: volume(10) },
    );
  });

  test('needs a project or a run, and tells which reference is not there', async () => {
    const { run } = await reviewed();
    const otherProject = await newProject();
    const issue = async (query: string, as?: As) => {
      const { status, body } = await queue(query, as);
      return [status, body.details.issues?.[0].path];
    };
    expect((await queue('')).body.details.issues).toEqual([
      { path: '?projectId', message: 'is required, or runId' },
    ]);
    expect(await issue(`projectId=${missingId}`)).toEqual([400, '?projectId']);
    expect(await issue(`runId=${missingId}`)).toEqual([400, '?runId']);
    expect(await issue(`runId=${run.id}&projectId=${otherProject}`)).toEqual([400, '?runId']);
    expect(await issue(`runId=${run.id}&assigneeUserId=${missingId}`)).toEqual([
      400,
      '?assigneeUserId',
    ]);
    expect(await issue(`runId=${run.id}&assigneeUserId=all`)).toEqual([400, '?assigneeUserId']);
  });

  test("has nothing of another organization's, nor of a deleted project", async () => {
    const projectId = await newProject();
    const { run } = await reviewed({ projectId });
    expect((await queue(`projectId=${projectId}`, asOther)).body.details.issues[0].path).toBe(
      '?projectId',
    );
    expect((await queue(`runId=${run.id}`, asOther)).body.details.issues[0].path).toBe('?runId');
    await request('DELETE', `/projects/${projectId}`);
    expect((await queue(`projectId=${projectId}`)).status).toBe(400);
    expect((await queue(`runId=${run.id}`)).status).toBe(400);
  });

  test('goes on with a metric that was deleted', async () => {
    const { run, metricIds } = await reviewed({ metrics: [{ guidelines: 'Still here.' }] });
    await request('DELETE', `/metrics/${metricIds[0]}`);
    expect((await queue(`runId=${run.id}`)).body.data[0].metric.guidelines).toBe('Still here.');
  });
});
