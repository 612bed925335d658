import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { projectId, request, newMetric, newMember, newRun, newRecord } = useRunRecords();

const human = { evalType: 'human', outputType: 'int' };
const asOther = { identity: { organizationId: missingId } };

const give = (member: string, recordId: string, versionId: string) =>
  request(
    'PUT',
    `/records/${recordId}/scores/${versionId}`,
    { score: { value: 4 } },
    asMember(member),
  );

describe('the progress of a review', () => {
  const progress = async (query: string, as?: Parameters<typeof request>[3]) =>
    (await request('GET', `/review-queue/progress?${query}`, undefined, as)).body;

  test('tells what is missing, what of it is mine, and who has given how much', async () => {
    const project = (await request('POST', '/projects', { name: 'p', description: '' })).body.id;
    const create = async (metric: object) =>
      (await request('POST', `/projects/${project}/metrics`, { name: 'm', ...metric })).body
        .id as string;
    const [single, several, clients, judge] = [
      await create(human),
      await create({ ...human, annotators: 2 }),
      await create({ evalType: 'heuristic', outputType: 'boolean' }),
      await create({
        evalType: 'heuristic',
        outputType: 'boolean',
        builtin: { name: 'json_equal' },
      }),
    ];
    const [ada, bob] = [await newMember(), await newMember()];
    const make = async (metricIds: string[], records: number) => {
      const run = (await request('POST', `/projects/${project}/runs`, { metricIds })).body;
      const ids: string[] = [];
      for (let index = 0; index < records; index++) ids.push((await newRecord(run.id)).body.id);
      const versionOf = (metricId: string): string =>
        run.metricVersionIds[run.metricIds.indexOf(metricId)];
      return { runId: run.id as string, ids, versionOf };
    };
    const plain = await make([single, several, judge], 3);
    const mixed = await make([single, clients], 2);
    await make([judge, clients], 2);
    const none = await make([judge], 1);
    const ofAll = `projectId=${project}`;
    expect(await progress(ofAll, asMember(ada))).toEqual({
      missing: 8,
      mine: 8,
      given: 0,
      byMember: [],
    });
    expect(await progress(`runId=${none.runId}`, asMember(ada))).toEqual({
      missing: 0,
      mine: 0,
      given: 0,
      byMember: [],
    });

    const [one, two] = plain.ids as [string, string];
    await give(ada, one, plain.versionOf(single));
    await give(ada, one, plain.versionOf(several));
    await give(bob, two, plain.versionOf(several));
    await give(bob, mixed.ids[0]!, mixed.versionOf(single));
    // Neither a person's word on what the service scores nor a score without a value counts.
    await give(bob, two, plain.versionOf(judge));
    await request('PUT', `/records/${two}/scores/${plain.versionOf(single)}`, {}, asMember(bob));
    await request('POST', `/records/${plain.ids[2]}/assignees`, { assigneeUserId: bob });
    expect(await progress(ofAll, asMember(ada))).toEqual({
      missing: 6,
      // Not what others are assigned to, nor what waits for a second annotator.
      mine: 3,
      given: 4,
      byMember: [
        { userId: ada, given: 2 },
        { userId: bob, given: 2 },
      ].sort((a, b) => (a.userId < b.userId ? -1 : 1)),
    });
    expect(await progress(`${ofAll}&runId=${mixed.runId}`, asMember(bob))).toEqual({
      missing: 1,
      mine: 1,
      given: 1,
      byMember: [{ userId: bob, given: 1 }],
    });
  });

  test('has nothing of another organization or of a deleted run, and needs a project or a run', async () => {
    const run = await newRun({ metricIds: [await newMetric(human)] });
    const runId = run.id as string;
    await newRecord(runId);
    const issue = async (query: string, as?: typeof asOther) =>
      (await progress(query, as as never)).details.issues[0].path;
    expect(await issue('')).toBe('?projectId');
    expect(await issue(`runId=${runId}`, asOther)).toBe('?runId');
    expect(await issue(`projectId=${projectId()}`, asOther)).toBe('?projectId');
    const before = (await progress(`projectId=${projectId()}`)).missing;
    await request('DELETE', `/runs/${runId}`);
    expect((await progress(`projectId=${projectId()}`)).missing).toBe(before - 1);
    expect(await issue(`runId=${runId}`)).toBe('?runId');
  });
});
