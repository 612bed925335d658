import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { create, request, newMetric, newRun, newRecord, projectId } = useRunRecords();

interface Case {
  /** The testcase's data besides its question. */
  metadata?: object;
  inputs?: object;
  /** Also inputs, in the candidate's run alone. */
  candidateInputs?: object;
}

/** Two runs of one testset, scored 0.2 and 0.7, 0.2 and 0.8, and so on. */
async function twoRuns(cases: Case[], { isOfTestset = true } = {}) {
  const fieldMapping = { inputs: ['question'], expected: [], metadata: [] };
  const body = { name: 't', description: '', jsonSchema: {}, fieldMapping };
  const testset = (await create(`/projects/${projectId()}/testsets`, body)).id as string;
  const items = cases.map(({ metadata = {} }) => ({ jsonData: { question: 'q', ...metadata } }));
  const testcases = (await create(`/testsets/${testset}/testcases`, { items })).items as {
    id: string;
  }[];
  const run = {
    metricIds: [await newMetric({ evalType: 'heuristic', outputType: 'float' })],
    ...(isOfTestset ? { testsetId: testset } : {}),
  };
  const [baseline, candidate] = [await newRun(run), await newRun(run)];
  const score = async (run: typeof baseline, testcaseId: string, inputs: object, value: number) => {
    const { id } = (await newRecord(run.id, { testcaseId, inputs })).body;
    await request('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, { score: { value } });
  };
  await Promise.all(
    cases.flatMap(({ inputs = {}, candidateInputs = {} }, index) => [
      score(baseline, testcases[index]!.id, inputs, 0.2),
      score(candidate, testcases[index]!.id, { ...inputs, ...candidateInputs }, 0.7 + index / 100),
    ]),
  );
  return (groupBy: unknown) =>
    request('POST', '/comparisons', {
      baselineRunId: baseline.id,
      candidateRunId: candidate.id,
      groupBy,
    });
}

describe('groupBy', () => {
  test('puts pairs of one value in the inputs into one group, and those without one each into a group of its own', async () => {
    const compare = await twoRuns([
      { inputs: { topic: 'a', 'x/y': [{ deep: 1 }] } },
      { inputs: { topic: 'a', 'x/y': [{ deep: 1 }] } },
      { inputs: { topic: 'b', 'x/y': [{ deep: 2 }] } },
      { inputs: { topic: 'b', 'x/y': [{ deep: 1 }] }, candidateInputs: { topic: 'a' } },
      { inputs: { topic: 1 } },
      { inputs: { topic: '1' } },
      {},
      {},
    ]);
    const groupsOf = async (groupBy: string) => (await compare(groupBy)).body.metrics[0].numGroups;
    expect(await groupsOf('/inputs/topic')).toBe(6);
    expect(await groupsOf('/topic')).toBe(6);
    expect(await groupsOf('/inputs/x~1y/0/deep')).toBe(6);
    expect(await groupsOf('/inputs/x~1y')).toBe(6);
    expect((await compare('/inputs/topic')).body.metrics[0]).toMatchObject({
      paired: 8,
      test: expect.stringContaining('sign-flip, every flip'),
      pValue: 2 / 64,
    });
    expect((await compare(undefined)).body.metrics[0]).toMatchObject({ pValue: 2 / 256 });
    expect((await compare(undefined)).body.metrics[0]).not.toHaveProperty('numGroups');
  });

  test('finds values in the metadata of testcases, where inputs are not meant or have none', async () => {
    const compare = await twoRuns([
      { metadata: { difficulty: 'easy', question: 'q' }, inputs: { topic: 'a' } },
      { metadata: { difficulty: 'hard' }, inputs: { topic: 'b' } },
      { metadata: { difficulty: 'hard', topic: 'c' }, inputs: { topic: 'b' } },
    ]);
    const groupsOf = async (groupBy: string) => (await compare(groupBy)).body.metrics[0].numGroups;
    expect(await groupsOf('/metadata/difficulty')).toBe(2);
    expect(await groupsOf('/difficulty')).toBe(2);
    expect(await groupsOf('/topic')).toBe(2);
    expect(await groupsOf('/metadata/topic')).toBe(3);
    // What the mapping makes an input is no metadata.
    expect((await compare('/metadata/question')).status).toBe(400);
  });

  test('infers nothing from pairs that are all of one group', async () => {
    const compare = await twoRuns([{ inputs: { topic: 'a' } }, { inputs: { topic: 'a' } }]);
    const [metric] = (await compare('/inputs/topic')).body.metrics;
    expect(metric).toMatchObject({
      paired: 2,
      numGroups: 1,
      pValue: null,
      confidenceInterval: null,
      verdict: 'undecided',
      method: 'too few groups',
    });
    expect(metric.warnings).toEqual([
      {
        code: 'too_few_pairs',
        message: '1 group: too few to decide anything at this level.',
        details: { groups: 1, level: 0.95 },
      },
    ]);
  });

  test('tells long values apart, and reads inputs that are too large to stand in the record', async () => {
    const long = 'x'.repeat(300 * 1024);
    const compare = await twoRuns([
      { inputs: { text: `${long}1`, topic: 'a' } },
      { inputs: { text: `${long}2`, topic: 'a' } },
      { inputs: { text: `${long}2`, topic: 'a' } },
    ]);
    expect((await compare('/inputs/text')).body.metrics[0].numGroups).toBe(2);
    expect((await compare('/inputs/topic')).body.metrics[0].numGroups).toBe(1);
  });

  test('of a pointer that is none, stops too early or finds nothing is refused', async () => {
    const compare = await twoRuns([{ inputs: { topic: 'a' } }, { inputs: { topic: 'b' } }]);
    const said = async (groupBy: string) => {
      const { status, body } = await compare(groupBy);
      return [
        status,
        ...body.details.issues.map(
          ({ path, message }: { path: string; message: string }) => `${path} ${message}`,
        ),
      ];
    };
    for (const groupBy of ['topic', '', '/inputs/a~2', 'inputs/topic'])
      expect(await said(groupBy)).toEqual([
        400,
        '/groupBy is no JSON Pointer into inputs or metadata; one looks like /inputs/topic',
      ]);
    expect(await said('/inputs')).toEqual([
      400,
      '/groupBy must go on to what it means in inputs, as /inputs/topic does',
    ]);
    expect(await said('/inputs/toString')).toEqual([
      400,
      '/groupBy finds nothing in the inputs of any testcase that both runs have',
    ]);
    expect(await said('/metadata/topic')).toEqual([
      400,
      '/groupBy finds nothing in the metadata of any testcase that both runs have',
    ]);
    expect(await said('/nothing')).toEqual([
      400,
      '/groupBy finds nothing in the inputs or the metadata of any testcase that both runs have',
    ]);
  });

  test('finds no metadata for runs without a testset, and their inputs all the same', async () => {
    const compare = await twoRuns(
      [{ metadata: { topic: 'a' }, inputs: { area: 'x' } }, { metadata: { topic: 'b' } }],
      {
        isOfTestset: false,
      },
    );
    expect((await compare('/metadata/topic')).status).toBe(400);
    expect((await compare('/inputs/area')).body.metrics[0].numGroups).toBe(2);
  });
});
