import { setTimeout as pause } from 'node:timers/promises';
import type { ArrivalResult, Generator, Request, TimedResult } from '../load.ts';
import { type Memory, memoryDuring, memoryOf } from '../processes.ts';
import { createRun, recordBody } from '../records.ts';
import { millisecondsText, type Row, rateText, ratioText, say, secondsText } from '../report.ts';
import { postOf, throughGateway } from '../requests.ts';
import { toText } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { memoryRow } from '../sides.ts';

/**
 * Shares of the peak, the rate that 50 connections reach in a closed loop. Above the peak, the load
 * exceeds the capacity.
 */
const levels = [0.5, 0.9, 1.5, 3];
const levelMs = 8000;
const peakMs = 4000;
const restMs = 1000;
const light = { connections: 4, until: { durationMs: 250 } };
/** Latencies of a light load that still count as usual. */
const usualRatioMax = 2;
/** Wanted were 0.8 and 5 s, which was easy. */
const acceptedReach = 1;
const growthBytesMax = 200 * 1024 ** 2;
const recoveryReachMs = 2000;
const recoveryMaxMs = 30_000;

const watched = ['gateway', 'run-records'] as const;
type WatchedProcess = (typeof watched)[number];

/**
 * Measures overload: single records of 1 KB that come at a constant rate, below the peak and above
 * it, and how they are answered.
 */
export async function askOverload(setting: Setting): Promise<Row[]> {
  const { generator } = setting;
  const installation = await setting.installation();
  const record = postOf(
    throughGateway(installation),
    `/runs/${await createRun(installation.call)}/records`,
    recordBody,
  );
  const pids = {
    gateway: installation.programOf('gateway').pid,
    'run-records': installation.programOf('run-records').pid,
  };

  await generator.closedLoop({ ...record, connections: 50, until: { durationMs: restMs } });
  const peak = await generator.closedLoop({
    ...record,
    connections: 50,
    until: { durationMs: peakMs },
  });
  const usual = await generator.closedLoop({ ...record, ...light, until: { durationMs: restMs } });
  say(`  peak: ${toText(peak)}; light load: ${toText(usual)}`);
  await pause(restMs);
  const resting = await memoryOf(pids);

  const rows: Row[] = [];
  const most = { ...resting };
  let recoveryMs = 0;
  for (const level of levels) {
    const perSecond = Math.round(level * peak.perSecond);
    const [{ value: arrived, most: used }, recovered] = await Promise.all([
      memoryDuring(pids, () => generator.openLoop({ ...record, perSecond, durationMs: levelMs })),
      pause(levelMs).then(() => timeRecovery(generator, record, usual)),
    ]);
    recoveryMs = recovered;
    say(`  ${level} × the peak: ${describe(arrived)}, recovered after ${secondsText(recoveryMs)}`);
    for (const name of watched) most[name] = Math.max(most[name], used[name]);
    rows.push(...toRows({ level, perSecond, arrived, peak }));
    await pause(restMs);
  }
  return [...rows, recoveryRow(recoveryMs), ...memoryRows(resting, most)];
}

/**
 * How long after an overload until a light load is answered as usual and nothing is refused, in
 * milliseconds.
 */
async function timeRecovery(
  generator: Generator,
  record: Request,
  usual: TimedResult,
): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const sinceMs = performance.now() - startMs;
    const { p50Ms, errors } = await generator.closedLoop({ ...record, ...light });
    const isUsual = p50Ms <= usual.p50Ms * usualRatioMax && Object.keys(errors).length === 0;
    if (isUsual || sinceMs > recoveryMaxMs) return sinceMs;
  }
}

const describe = ({
  sentPerSecond,
  lateP99Ms,
  lateMaxMs,
  unsent,
  ...answers
}: ArrivalResult): string =>
  `sent ${rateText(sentPerSecond)}, 99 % at most ${lateP99Ms.toFixed(1)} ms late, all ${lateMaxMs.toFixed(0)} ms, ${unsent} not at all; ${toText(answers)}`;

function toRows({
  level,
  perSecond,
  arrived,
  peak,
}: {
  level: number;
  perSecond: number;
  arrived: ArrivalResult;
  peak: TimedResult;
}): Row[] {
  const question = 'overload';
  const ratio = arrived.perSecond / peak.perSecond;
  const others =
    Object.values(arrived.errors).reduce((sum, count) => sum + count, 0) - arrived.refused;
  const refusedPerSecond = (arrived.refused / levelMs) * 1000;
  const late = `99 % at most ${arrived.lateP99Ms.toFixed(0)} ms late${arrived.unsent > 0 ? `, ${arrived.unsent} not at all` : ''}`;
  return [
    {
      question,
      measure: `records that come at ${level} × the peak: accepted; baseline: the peak`,
      baseline: rateText(peak.perSecond),
      ours: rateText(arrived.perSecond),
      ratio: ratioText(ratio),
      ...(level > 1
        ? { reach: `≥ ${ratioText(acceptedReach)}`, isReached: ratio >= acceptedReach }
        : {}),
      errors: others,
    },
    {
      question,
      measure: `  sent, ${late}; baseline: meant`,
      baseline: rateText(perSecond),
      ours: rateText(arrived.sentPerSecond),
    },
    {
      question,
      measure: `  refused, of them without Retry-After: ${arrived.refusedWithoutWait}`,
      ours: rateText(refusedPerSecond),
    },
    { question, measure: '  p50 of what was accepted', ours: millisecondsText(arrived.p50Ms) },
    { question, measure: '  p99 of what was accepted', ours: millisecondsText(arrived.p99Ms) },
  ];
}

const recoveryRow = (recoveryMs: number): Row => ({
  question: 'overload',
  measure: `until a light load is answered as usual again, after ${levels.at(-1)} × the peak`,
  ours: secondsText(recoveryMs),
  reach: `≤ ${secondsText(recoveryReachMs)}`,
  isReached: recoveryMs <= recoveryReachMs,
});

const memoryRows = (resting: Memory<WatchedProcess>, most: Memory<WatchedProcess>): Row[] =>
  watched.map((name) => {
    const measure = `the most memory of ${name} in all of it; baseline: before`;
    return memoryRow({
      question: 'overload',
      measure,
      resting: resting[name],
      most: most[name],
      growthBytesMax,
    });
  });
