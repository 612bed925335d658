import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../load/answers.ts';
import type { TimedResult, Turns } from '../load.ts';
import { recordBody } from '../records.ts';
import {
  microsecondsText,
  millisecondsText,
  type Row,
  rateText,
  ratioText,
  say,
  secondsText,
} from '../report.ts';
import { bare, exportTo, postOf } from '../requests.ts';
import { errorsOf, median, toText, withProcessorTime } from '../rounds.ts';
import type { Installation, Setting } from '../setting.ts';
import { batches, singles, spansEach } from '../spans.ts';
import { sendExport, withTraces } from '../stored-traces.ts';
import { memoryRows, transfer } from '../transfer.ts';
import { startRecordsBaseline } from './single-records.ts';

const batchSpans = 512;
const batchBodies = 16;
const batchTurns = 4;
const batchConnections = 8;
const singleTraces = 24;
const singleTurns = 50;
/** Few clients, and as many as send three thousand spans a second one by one: 15 of each. */
const singleConnections = { few: 50, many: 200 };

const baselineMs = 3000;

const probeEveryMs = 250;
const lookEveryMs = 100;

const batchRateMin = 15_000;
const singleRateMin = 3000;
const lagMaxMs = 10_000;
/** Far longer than any backlog of this question takes. */
const patienceMs = 120_000;

/**
 * The question traces: spans in batches and one a request, how long after its last span a trace is
 * settled meanwhile, and whether each span that was answered is there once at the end.
 */
export async function askTraces(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { id: projectId } = await installation.call('POST', '/projects', {
    name: 'Traces',
    description: '',
  });
  const spans = { bodies: batchBodies, spans: batchSpans };
  const batchTurnsOf = turnsOf(batches(projectId, spans));
  const singleTurnsOf = turnsOf(singles(projectId, singleTraces));
  const inBatches = (count: number) =>
    load(setting, { turns: batchTurnsOf(count), connections: batchConnections, count });
  const oneByOne = (count: number, connections = singleConnections.few) =>
    load(setting, { turns: singleTurnsOf(count), connections, count });

  await installation.restart('traces');
  const warmUp = {
    batches: await inBatches(2 * batchBodies),
    singles: await oneByOne(2 * singleTraces * spansEach),
  };
  await accountFor(setting, projectId, spansIn(warmUp));
  const { few, many } = singleConnections;
  const baseline = [await baselineRate(setting, few)];
  const sent = await transfer(installation, 'traces', async () => {
    const watched = watchLag(setting, installation, projectId);
    const measured = await inBatches(batchTurns * batchBodies).finally(watched.end);
    return { batches: measured, lags: await watched.lags, probed: await watched.probed };
  });
  const { batches: batched, lags, probed } = sent.value;
  say(`  batches: ${toText(batched)}`);
  const answered = spansIn(warmUp) + batched.accepted * batchSpans + probed * spansEach;
  await accountFor(setting, projectId, answered);
  baseline.push(await baselineRate(setting, few));
  const singlesCount = singleTurns * singleTraces * spansEach;
  const single = await oneByOne(singlesCount);
  say(`  singles: ${toText(single)}`);
  baseline.push(await baselineRate(setting, few));
  const baselineOfMany = [await baselineRate(setting, many)];
  const singleOfMany = await oneByOne(singlesCount, many);
  say(`  singles of many: ${toText(singleOfMany)}`);
  baselineOfMany.push(await baselineRate(setting, many));
  const singlesAccepted = single.accepted + singleOfMany.accepted;
  const settledMs = await accountFor(setting, projectId, answered + singlesAccepted);
  say(`  the rest was settled in ${secondsText(settledMs)}`);
  return [
    rateOf('spans in batches of 512, while traces are settled', batched, {
      baseline: median(baseline),
      spans: batchSpans,
      rateMin: batchRateMin,
    }),
    ...timesOf(batched, batchSpans),
    lagRow('  until a trace is settled, of it 5 s of silence: p50', quantile(lags, 0.5)),
    {
      ...lagRow('  p99', quantile(lags, 0.99)),
      reach: `< ${secondsText(lagMaxMs)}`,
      isReached: quantile(lags, 0.99) < lagMaxMs,
    },
    ...memoryRows('traces', sent),
    rateOf(`spans in requests of one on ${few} connections, while traces are settled`, single, {
      baseline: median(baseline),
      spans: 1,
    }),
    ...timesOf(single, 1),
    rateOf(`on ${many} connections`, singleOfMany, {
      baseline: median(baselineOfMany),
      spans: 1,
      rateMin: singleRateMin,
    }),
    ...timesOf(singleOfMany, 1),
  ];
}

/** Gives each load of these bodies turns that no other had. */
function turnsOf(bodies: Turns['bodies']) {
  let used = 1;
  return (requests: number): Turns => {
    const firstTurn = used;
    used += Math.ceil(requests / bodies.length);
    return { bodies, firstTurn };
  };
}

async function load(
  setting: Setting,
  { turns, connections, count }: { turns: Turns; connections: number; count: number },
): Promise<TimedResult> {
  const request = exportTo(await setting.installation());
  return withProcessorTime(() =>
    setting.generator.closedLoop({ ...request, turns, connections, until: { count } }),
  );
}

/** Records a second of the baseline of question 1, which says how fast the machine is. */
async function baselineRate(setting: Setting, connections: number): Promise<number> {
  const door = bare(await setting.shared(startRecordsBaseline));
  const measured = await setting.generator.closedLoop({
    ...postOf(door, '/runs/1/records', recordBody),
    connections,
    until: { durationMs: baselineMs },
  });
  say(`  baseline of ${connections}: ${toText(measured)}`);
  return measured.perSecond;
}

const spansIn = (sent: { batches: TimedResult; singles: TimedResult }): number =>
  sent.batches.accepted * batchSpans + sent.singles.accepted;

/** Sends traces of its own beside the load, and looks when they are settled. */
function watchLag(setting: Setting, installation: Installation, projectId: string) {
  const probe = batches(projectId, { bodies: 1, spans: spansEach })[0]!;
  const sentMs = new Map<string, number>();
  const lags: number[] = [];
  const ending = new AbortController();
  let probed = 0;

  async function send(): Promise<number> {
    while (!ending.signal.aborted) {
      const traceId = await sendExport(installation, probe, probed++);
      sentMs.set(`${installation.organizationId}/${traceId}`, performance.now());
      await pause(probeEveryMs);
    }
    return probed;
  }

  const look = (sent: { isWhole: boolean }): Promise<number[]> =>
    withTraces(setting, async ({ heads }) => {
      while (!sent.isWhole || sentMs.size > 0) {
        const settled = heads.find(
          { _id: { $in: [...sentMs.keys()] }, isSettled: true },
          { projection: { _id: 1 } },
        );
        for (const { _id } of await settled.toArray()) {
          lags.push(performance.now() - sentMs.get(_id)!);
          sentMs.delete(_id);
        }
        await pause(lookEveryMs);
      }
      return lags;
    });

  const sent = { isWhole: false };
  const sending = send().finally(() => {
    sent.isWhole = true;
  });
  return { probed: sending, lags: look(sent), end: () => ending.abort() };
}

/**
 * Waits until everything is settled, and counts the spans by the heads and by the parts. Returns how
 * long the wait was.
 */
async function accountFor(setting: Setting, projectId: string, answered: number): Promise<number> {
  const startMs = performance.now();
  return withTraces(setting, async ({ heads, parts }) => {
    while ((await heads.findOne({ projectId, isSettled: false })) !== null) {
      if (performance.now() - startMs > patienceMs)
        throw new Error('Traces are not settled in two minutes.');
      await pause(lookEveryMs);
    }
    const settledMs = performance.now() - startMs;
    const sum = { $group: { _id: null, spans: { $sum: '$numSpans' } } };
    const [byHeads] = await heads.aggregate([{ $match: { projectId } }, sum]).toArray();
    const { organizationId } = await setting.installation();
    const [byParts] = await parts.aggregate([{ $match: { organizationId } }, sum]).toArray();
    if (byHeads!.spans !== answered || byParts!.spans !== answered)
      throw new Error(
        `Of ${answered} spans that were answered, heads have ${byHeads!.spans} and parts ${byParts!.spans}.`,
      );
    return settledMs;
  });
}

const rateOf = (
  measure: string,
  result: TimedResult,
  { baseline, spans, rateMin }: { baseline: number; spans: number; rateMin?: number },
): Row => ({
  question: 'traces',
  measure,
  baseline: rateText(baseline),
  ours: rateText(result.perSecond * spans),
  ratio: ratioText((result.perSecond * spans) / baseline),
  ...(rateMin === undefined
    ? {}
    : {
        reach: `≥ ${rateText(rateMin)}`,
        isReached: result.perSecond * spans >= rateMin,
      }),
  errors: errorsOf([result]),
});

const timesOf = ({ p50Ms, p99Ms, processorUs }: TimedResult, spans: number): Row[] => [
  { question: 'traces', measure: '  p50 of a request', ours: millisecondsText(p50Ms) },
  { question: 'traces', measure: '  p99', ours: millisecondsText(p99Ms) },
  ...(processorUs === undefined
    ? []
    : [
        {
          question: 'traces',
          measure: '  processor time of a span',
          ours: microsecondsText(processorUs / spans),
        },
      ]),
];

const lagRow = (measure: string, ms: number): Row => ({
  question: 'traces',
  measure,
  ours: secondsText(ms),
});
