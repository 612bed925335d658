import { payloads, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { newMetric, newRecord, newRun, request } = useRunRecords();

/** A run of one metric, and records with these values of it, in their order. */
async function runOf(metric: object, values: unknown[]) {
  const metricId = await newMetric({ builtin: undefined, evalType: 'heuristic', ...metric });
  const run = await newRun({ metricIds: [metricId] });
  const ids: string[] = [];
  for (const value of values) {
    const scores = [{ metricId, score: { value } }];
    ids.push((await newRecord(run.id, { ...payloads, scores })).body.id);
  }
  const [metricVersionId] = run.metricVersionIds as string[];
  /** The values of the records that a list finds, in its order. */
  const found = async (query: string) => {
    const { body } = await request('GET', `/runs/${run.id}/records?${query}`);
    return (body.data as { id: string }[]).map(({ id }) => values[ids.indexOf(id)]);
  };
  const filtered = (query: string) => found(`metricVersionId=${metricVersionId}&${query}`);
  return { run, ids, metricVersionId, found, filtered };
}

const toxicity = { outputType: 'float', lowerIsBetter: true };

describe('the records of a run are found', () => {
  test('by a threshold that is passed from below, at the threshold too', async () => {
    const { filtered } = await runOf(toxicity, [0.3, 0.1, 0.02, 0.10001]);
    expect(await filtered('outcome=pass')).toEqual([0.1, 0.02]);
    expect(await filtered('outcome=fail')).toEqual([0.3, 0.10001]);
    expect(await filtered('outcome=fail&max=0.2')).toEqual([0.10001]);
  });

  test('by false as the good value of a boolean', async () => {
    const { filtered } = await runOf({ outputType: 'boolean', lowerIsBetter: true }, [true, false]);
    expect(await filtered('outcome=pass')).toEqual([false]);
    expect(await filtered('outcome=fail')).toEqual([true]);
  });

  test('by whole numbers of another scale, few and many', async () => {
    const mistakes = { outputType: 'int', min: 0, max: 10, lowerIsBetter: true };
    const few = await runOf(mistakes, [0, 2, 3, 10]);
    expect(await few.filtered('outcome=pass')).toEqual([0, 2]);
    expect(await few.filtered('outcome=fail')).toEqual([3, 10]);
    expect(await few.filtered('min=3&max=9')).toEqual([3]);
    const many = await runOf({ outputType: 'int', min: -500, max: 500 }, [-500, 249, 250, 500]);
    expect(await many.filtered('outcome=pass')).toEqual([250, 500]);
    expect(await many.filtered('outcome=fail')).toEqual([-500, 249]);
    expect(await many.filtered('value=249')).toEqual([249]);
  });

  test('by values of a scale without an end, in their order', async () => {
    const values = [842.5, 1, 30];
    const { run, found, filtered, metricVersionId } = await runOf(
      { outputType: 'float', min: 1, max: null, lowerIsBetter: true },
      values,
    );
    expect(await filtered('min=2')).toEqual([842.5, 30]);
    expect(await found(`sort=value:${metricVersionId}&order=desc`)).toEqual([842.5, 30, 1]);
    const refused = await request(
      'GET',
      `/runs/${run.id}/records?metricVersionId=${metricVersionId}&outcome=pass`,
    );
    expect(refused.body.details.issues).toEqual([expect.objectContaining({ path: '?outcome' })]);
  });
});

test('a score that does not fit the scale says so in the words of the metric', async () => {
  const { run, ids, filtered } = await runOf(
    { outputType: 'float', min: 0, max: 100 },
    [37.2, 101],
  );
  const { body } = await request('GET', `/records/${ids[1]}`);
  expect(body.scores[0].validationErrors).toEqual([
    {
      path: '/score/value',
      message: '"value" should be a number from 0 to 100, but it is 101.',
    },
  ]);
  expect(await filtered('outcome=invalid')).toEqual([101]);
  const { scoring } = (await request('GET', `/runs/${run.id}`)).body;
  expect(scoring).toMatchObject({ expected: 2, scored: 1, invalid: 1 });
});

test('reviewers are told the scale and the direction', async () => {
  const metric = { evalType: 'human', outputType: 'int', min: 0, max: 10, lowerIsBetter: true };
  const run = await newRun({ metricIds: [await newMetric({ builtin: undefined, ...metric })] });
  await newRecord(run.id, payloads);
  const { body } = await request('GET', `/review-queue?runId=${run.id}`);
  expect(body.data[0].metric).toMatchObject({
    ...{ outputType: 'int', min: 0, max: 10, lowerIsBetter: true },
  });
});
