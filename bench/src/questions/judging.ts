import {
  type Calls,
  judgeConcurrency,
  judgedMetric,
  microUsdPerCall,
  startJudge,
} from '../judge.ts';
import { type Row, rateText, ratioText, say } from '../report.ts';
import { createWaitingRun, scoreAll } from '../scored-run.ts';
import type { Setting } from '../setting.ts';

const answerMs = 300;
/** As many as fill every turn of the judge to the last. */
const recordsCount = 30 * judgeConcurrency;
const warmUpCount = 5 * judgeConcurrency;
const idealPerSecond = judgeConcurrency / (answerMs / 1000);
const reach = 0.9;

/** Measures how much of a slow judge's capacity is used. */
export async function askJudging(setting: Setting): Promise<Row[]> {
  const judge = await startJudge(setting, { answerMs });
  say('  warm-up …');
  await judgeRun(setting, warmUpCount);
  await judge.calls();
  say(`  ${recordsCount} records …`);
  const completedMs = await judgeRun(setting, recordsCount);
  const calls = await judge.calls();
  await judge.stop();
  if (calls.answered !== recordsCount)
    throw new Error(`The judge was asked ${calls.answered} times for ${recordsCount} scores.`);
  return [
    toRow(
      `a judge of ${answerMs} ms, ${judgeConcurrency} calls at once, from the first call to the last answer`,
      askedMs(calls),
    ),
    toRow('  from the start of scoring to the end of the run', completedMs),
    {
      question: 'judge',
      measure: '  calls under way at once, at most',
      ours: String(calls.underWayMax),
      reach: `≤ ${judgeConcurrency}`,
      isReached: calls.underWayMax <= judgeConcurrency,
    },
  ];
}

/** Returns how long the judging took, in ms. The run's account has to name the judge's cost. */
async function judgeRun(setting: Setting, count: number): Promise<number> {
  const { mongodbUri } = await setting.servers();
  const { call, databaseOf } = await setting.installation();
  const waiting = await createWaitingRun({
    call,
    uri: mongodbUri,
    database: databaseOf('run-records'),
    metric: judgedMetric,
    count,
  });
  const tookMs = await scoreAll(call, waiting);
  const { costUsd } = await call('GET', `/runs/${waiting.runId}`);
  const expected = (count * microUsdPerCall) / 1e6;
  if (costUsd !== expected)
    throw new Error(
      `The run costs ${costUsd} US dollars by its account, but the judge took ${expected}.`,
    );
  return tookMs;
}

const askedMs = ({ firstAtMs, lastAnswerAtMs }: Calls): number => lastAnswerAtMs - firstAtMs;

function toRow(measure: string, ms: number): Row {
  const perSecond = recordsCount / (ms / 1000);
  const ratio = perSecond / idealPerSecond;
  return {
    question: 'judge',
    measure,
    baseline: rateText(idealPerSecond),
    ours: rateText(perSecond),
    ratio: ratioText(ratio),
    reach: `≥ ${ratioText(reach)}`,
    isReached: ratio >= reach,
  };
}
