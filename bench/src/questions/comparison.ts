import { newId } from '@assay/runtime/ids';
import type { Document } from 'mongodb';
import { fillRun } from '../fill-run.ts';
import { type Memory, memoryDuring, memoryOf } from '../processes.ts';
import { recordBody } from '../records.ts';
import {
  mebibytesText,
  millisecondsText,
  type Row,
  ratioText,
  say,
  secondsText,
} from '../report.ts';
import { errorsOf, median, timeOf, toText } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { watchSmallRequests } from '../small-requests.ts';

const question = 'comparison';
const pairsCount = 100_000;
const times = 3;
const aloneMs = 10_000;
/** The time in which the database finishes its writes of the runs, in ms. */
const warmUpMs = 30_000;
/** The most by which comparisons may slow down the creation of records, at the 99th percentile. */
const ratioMax = 1.3;

const watched = ['gateway', 'run-records', 'results'] as const;

/**
 * Compares two runs of 100,000 records, and summarizes one, through the gateway. Measures the time
 * of each, the memory of the processes, and the latency of other requests. The baseline is the same
 * without comparisons.
 */
export async function askComparison(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call } = installation;
  const { baselineRunId, candidateRunId } = await createRuns(setting);
  // A comparison is kept: each of another level is computed anew.
  let levels = 0;
  const compare = (level = 0.9 + ++levels / 10_000) => compareAt(level);
  async function compareAt(level: number): Promise<void> {
    const body = { baselineRunId, candidateRunId, level };
    const { metrics } = await call('POST', '/comparisons', body);
    if (metrics[0].paired !== pairsCount)
      throw new Error(`Of ${pairsCount} pairs ${metrics[0].paired} were found.`);
  }
  const pids = Object.fromEntries(
    watched.map((name) => [name, installation.programOf(name).pid]),
  ) as Record<(typeof watched)[number], number>;
  await compare();
  const resting = await memoryOf(pids);
  const { most, value: compared } = await memoryDuring(pids, () => timesOf(() => compare()));
  const lookedAgain = await timesOf(() => compare(0.9 + levels / 10_000));
  let passes = 0;
  const summarize = (minPasses: number) =>
    call('GET', `/runs/${candidateRunId}/summary?minPasses=${minPasses}`);
  const summarized = await timesOf(() => summarize(++passes));
  const summarizedAgain = await timesOf(() => summarize(passes));
  const watch = (durationMs: number, ended?: Promise<unknown>) =>
    watchSmallRequests({
      generator: setting.generator,
      installation,
      durationMs,
      ...(ended ? { ended } : {}),
    });
  await watch(warmUpMs);
  const alone = await watch(aloneMs);
  const going = timesOf(() => compare());
  const beside = await watch(10 * aloneMs, going);
  await going;
  say(`  alone ${toText(alone.post)}; beside ${toText(beside.post)}`);
  const ratio = beside.post.p99Ms / alone.post.p99Ms;
  return [
    {
      question,
      measure: 'a comparison of 100,000 pairs of a float metric',
      ours: secondsText(median(compared)),
    },
    keptRow('  the second look at it', lookedAgain, 1000),
    {
      question,
      measure: '  the summary of one of the runs',
      ours: secondsText(median(summarized)),
    },
    keptRow('  the second look at it', summarizedAgain, 100),
    ...watched.map((name) => memoryRow(name, resting, most)),
    {
      question,
      measure: '  p99 of creating a record of 1 KB meanwhile; baseline: alone',
      baseline: millisecondsText(alone.post.p99Ms),
      ours: millisecondsText(beside.post.p99Ms),
      ratio: ratioText(ratio),
      reach: `≤ ${ratioMax} ×`,
      isReached: ratio <= ratioMax,
      errors: errorsOf([beside.post, alone.post]),
    },
    {
      question,
      measure: '  p99 of reading a run meanwhile; baseline: alone',
      baseline: millisecondsText(alone.get.p99Ms),
      ours: millisecondsText(beside.get.p99Ms),
      ratio: ratioText(beside.get.p99Ms / alone.get.p99Ms),
      errors: errorsOf([beside.get, alone.get]),
    },
  ];
}

/** A result that is kept, which no records are read for. */
const keptRow = (measure: string, tookMs: number[], maxMs: number): Row => ({
  question,
  measure,
  ours: millisecondsText(median(tookMs)),
  reach: `≤ ${maxMs} ms`,
  isReached: median(tookMs) <= maxMs,
});

/** Two runs of one float metric with a score of each of the same testcases, about 0.5 and 0.52. */
async function createRuns(setting: Setting) {
  const { call, databaseOf } = await setting.installation();
  const { mongodbUri: uri } = await setting.servers();
  const { id: projectId } = await call('POST', '/projects', {
    name: 'Comparison',
    description: '',
  });
  const { id: metricId } = await call('POST', `/projects/${projectId}/metrics`, {
    name: 'Score',
    evalType: 'heuristic',
    outputType: 'float',
  });
  const testcaseIds = Array.from({ length: pairsCount }, () => newId());
  const create = async (shift: number): Promise<string> => {
    const run = await call('POST', `/projects/${projectId}/runs`, { metricIds: [metricId] });
    const vary = (model: Document, number: number) => {
      const value =
        (((number * 7919) % 1000) / 1000) * 0.96 + ((number * 104_729) % 7 === 0 ? shift : 0);
      return {
        testcaseId: testcaseIds[number - 1],
        scores: [{ ...model.scores[0], value, text: JSON.stringify({ value }) }],
      };
    };
    await fillRun({
      ...{
        uri,
        call,
        database: databaseOf('run-records'),
        runId: run.id,
        count: pairsCount + 1,
        body: recordBody,
        vary,
      },
      prepare: (recordId) =>
        call('PUT', `/records/${recordId}/scores/${run.metricVersionIds[0]}`, {
          score: { value: 0.5 },
        }),
    });
    return run.id;
  };
  say(`  two runs of ${pairsCount.toLocaleString('en-US')} records …`);
  return { baselineRunId: await create(0), candidateRunId: await create(0.04) };
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let time = 0; time < times; time++) took.push(await timeOf(work));
  return took;
}

const memoryRow = (
  name: (typeof watched)[number],
  resting: Memory<string>,
  most: Memory<string>,
): Row => ({
  question,
  measure: `  the most memory of ${name} meanwhile; baseline: before`,
  baseline: mebibytesText(resting[name]!),
  ours: mebibytesText(most[name]!),
});
