import { setTimeout as pause } from 'node:timers/promises';
import { identity } from '@assay/contracts/identity';
import { createOrganization } from '@assay/local/organization';
import type { Call } from '../client.ts';
import { startJudge } from '../judge.ts';
import type { TimedResult } from '../load.ts';
import { startAttacker } from '../neighbours/attacker.ts';
import { attacks } from '../neighbours/attacks.ts';
import { attackedBy } from '../neighbours/operations.ts';
import { headOfNeighbours, lineOfNeighbour, type NeighbourRow } from '../neighbours/table.ts';
import { doneOf, type Tally, tallyText, undone } from '../neighbours/tallies.ts';
import { recordBody } from '../records.ts';
import { millisecondsText, type Row, ratioText, say, secondsText } from '../report.ts';
import { getOf, postOf, throughGateway } from '../requests.ts';
import { errorsOf, median, medianOf } from '../rounds.ts';
import type { Installation, Setting } from '../setting.ts';

/** The pause after an attack, in which the work that it left ends. */
const settleMs = 2000;
/**
 * How long an attack runs before the measurement: its queues are full then, and its slow schemas
 * are known.
 */
const attackedMs = 4000;
/** Rounds of an attack, each alone and then beside it, of which the median counts. */
const attackRounds = 3;
const loadMs = 3000;
/**
 * Until when an attack has to be seen to do each kind of its work: the first of a kind may take
 * long, since each waits for those before it.
 */
const seenWithinMs = 180_000;
/** How often a round is measured again while nothing of a slow attack was done in it. */
const measurementsMax = 24;
const answerMs = 100;
const filledCount = 200;
const scores = 8;
const lookEveryMs = 5;
const patienceMs = 30_000;
/**
 * The most that is wanted: as a multiple of the time without an attack, or what nobody notices if
 * that is more; and in any case.
 */
const reachRatio = 3;
const unnoticedMs = 100;
const reachMs = 1000;

/** The requests of the neighbour, each with a name. */
const requests = ['run', 'page', 'runs', 'record'] as const;
/** What is timed, in the order of the table. */
const timedNames = [...requests, 'score'] as const;

type TimedName = (typeof timedNames)[number];

/** What the neighbour noticed in a round; of scores, the median and the longest. */
type RoundTimes = Record<TimedName, Pick<TimedResult, 'p50Ms' | 'p99Ms' | 'errors'>>;

/** The medians of rounds, and the errors of them all. */
type MedianTimes = Record<TimedName, { p50Ms: number; p99Ms: number; errors: number }>;

const whatIsTimed = {
  run: 'p99 of reading a run',
  page: 'p99 of reading a page of records',
  runs: 'p99 of listing runs',
  record: 'p99 of creating a record',
  score: `the longest of ${scores} scores`,
};

/** A line of the table for docs/operations.md, which is there as soon as it is measured. */
const tell = (line: string): void => void process.stdout.write(`${line}\n`);

type Attacker = Awaited<ReturnType<typeof startAttacker>>;
type Notice = () => Promise<RoundTimes>;

/**
 * Times one organization's requests and scores beside each attack of another. The baseline is
 * measured just before each attack, because a machine can be twice as slow a minute later.
 * @throws An error that names the attacks that were not seen to do their work, after all are tried.
 */
export async function askNeighbours(setting: Setting): Promise<Row[]> {
  const unknown = setting.attackNames.filter((name) => !attacks.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`There is no attack ${unknown.join(', ')}.`);
  const installation = await setting.installation();
  const { url, bus } = installation;
  const judge = await startJudge(setting, { answerMs });
  const { key } = await createOrganization(bus.asks(identity).identity, { name: 'Attacker' });
  const notice = await createNeighbour(setting, installation);
  await notice();
  const attacker = await startAttacker({ url, key, pairsCount: setting.pairsCount });
  const rows: Row[] = [];
  const idle: string[] = [];
  const asked = attacks.filter(
    ({ name }) => setting.attackNames.length === 0 || setting.attackNames.includes(name),
  );
  tell(headOfNeighbours);
  for (const { name } of asked) {
    say(`  ${name}`);
    try {
      const { alone, beside } = await measure(attacker, name, notice);
      rows.push(...rowsOf(name, alone, beside));
      tell(lineOfNeighbour({ attack: name, cells: cellsOf(alone, beside) }));
    } catch (error) {
      idle.push(name);
      say(`    ${(error as Error).message}`);
      await attacker.stop();
    }
    await pause(settleMs);
  }
  await attacker.end();
  await judge.stop();
  if (idle.length > 0)
    throw new Error(`These attacks were not seen to do their work: ${idle.join(', ')}.`);
  return rows;
}

/**
 * Measures alone and beside one attack in turn, whose work has to be seen before and during each
 * measurement.
 * @throws An error that says which work was not seen.
 */
async function measure(attacker: Attacker, name: string, notice: Notice) {
  const preparedMs = performance.now();
  const kinds = await attacker.prepare(name);
  say(`    prepared in ${secondsText(performance.now() - preparedMs)}`);
  const unnamed = attackedBy(name).filter(
    (operation) => !kinds.some((kind) => kind.split(' ')[0] === operation),
  );
  if (unnamed.length > 0) throw new Error(`It does not load ${unnamed.join(', ')}.`);
  const alone: RoundTimes[] = [];
  const beside: RoundTimes[] = [];
  for (let round = 0; round < attackRounds; round++) {
    await pause(settleMs);
    alone.push(await notice());
    say(`    alone:  ${toText(alone.at(-1)!)}`);
    beside.push(await noticeBeside(attacker, kinds, notice));
    say(`    beside: ${toText(beside.at(-1)!)}`);
  }
  return { alone: middleOf(alone), beside: middleOf(beside) };
}

async function noticeBeside(
  attacker: Attacker,
  kinds: readonly string[],
  notice: Notice,
): Promise<RoundTimes> {
  await attacker.begin();
  await pause(attackedMs);
  const before = await seeAllDone(attacker, kinds);
  let beside = await notice();
  let after = await attacker.tallies();
  for (let again = 1; again < measurementsMax && doneOf(after) === doneOf(before); again++) {
    beside = await notice();
    after = await attacker.tallies();
  }
  await attacker.stop();
  say(`    before: ${tallyText(before)}`);
  say(`    during: ${tallyText(after)}`);
  if (doneOf(after) === doneOf(before)) throw new Error('Nothing was done while it was measured.');
  return beside;
}

function middleOf(rounds: RoundTimes[]): MedianTimes {
  const entries = timedNames.map((name) => {
    const timed = rounds.map((round) => round[name]);
    const times = { p50Ms: medianOf(timed, 'p50Ms'), p99Ms: medianOf(timed, 'p99Ms') };
    return [name, { ...times, errors: errorsOf(timed) }];
  });
  return Object.fromEntries(entries);
}

/** Waits until each kind of an attack's work was done. */
async function seeAllDone(attacker: Attacker, kinds: readonly string[]): Promise<Tally[]> {
  const untilMs = performance.now() + seenWithinMs;
  for (;;) {
    const tallies = await attacker.tallies();
    const missing = undone(kinds, tallies);
    if (missing.length === 0) return tallies;
    if (performance.now() > untilMs) {
      say(`    before: ${tallyText(tallies)}`);
      throw new Error(`Not seen: ${missing.join(', ')}.`);
    }
    await pause(lookEveryTallyMs);
  }
}

const lookEveryTallyMs = 500;

async function createNeighbour(
  { generator }: Setting,
  installation: Installation,
): Promise<Notice> {
  const { call } = installation;
  const door = throughGateway(installation);
  const project = await call('POST', '/projects', { name: 'Neighbour', description: '' });
  const builtin = {
    name: 'exact_match',
    options: { output: '/response', expected: '/idealAnswer' },
  };
  const metric = await call('POST', `/projects/${project.id}/metrics`, {
    name: 'm',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin,
  });
  const newRun = async (metricIds: string[]): Promise<string> =>
    (await call('POST', `/projects/${project.id}/runs`, { metricIds })).id;
  const scoredRunId = await newRun([metric.id]);
  const runId = await newRun([]);
  for (let filled = 0; filled < filledCount; filled++)
    await call('POST', `/runs/${runId}/records`, recordBody);
  const sent = {
    run: getOf(door, `/runs/${runId}`),
    page: getOf(door, `/runs/${runId}/records?limit=20`),
    runs: getOf(door, `/projects/${project.id}/runs`),
    record: postOf(door, `/runs/${runId}/records`, recordBody),
  };
  return async () => {
    const until = { durationMs: loadMs };
    const timed = requests.map(async (name) => [
      name,
      await generator.closedLoop({ ...sent[name], connections: 1, until }),
    ]);
    const [times, ...entries] = await Promise.all([timeScores(call, scoredRunId), ...timed]);
    return {
      ...(Object.fromEntries(entries) as Record<(typeof requests)[number], TimedResult>),
      score: { p50Ms: median(times), p99Ms: Math.max(...times), errors: {} },
    };
  };
}

async function timeScores(call: Call, runId: string): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < scores; count++) {
    const startMs = performance.now();
    const { id } = await call('POST', `/runs/${runId}/records`, recordBody);
    while (
      (await call('GET', `/records/${id}`)).scores.length === 0 &&
      performance.now() - startMs < patienceMs
    )
      await pause(lookEveryMs);
    times.push(performance.now() - startMs);
  }
  return times;
}

const toText = (latencies: RoundTimes): string =>
  [
    ...requests.map((name) => {
      const { p50Ms, p99Ms, errors } = latencies[name];
      const failed = Object.entries(errors).map(([error, count]) => `, ${count} × ${error}`);
      return `${name} p50 ${millisecondsText(p50Ms)}, p99 ${millisecondsText(p99Ms)}${failed.join('')}`;
    }),
    `score ${millisecondsText(latencies.score.p50Ms)}, at most ${millisecondsText(latencies.score.p99Ms)}`,
  ].join('; ');

const isReached = (baseline: number, ours: number): boolean =>
  ours <= Math.max(reachRatio * baseline, unnoticedMs) && ours < reachMs;

function rowsOf(attack: string, alone: MedianTimes, beside: MedianTimes): Row[] {
  return timedNames.map((name) => {
    const baseline = alone[name].p99Ms;
    const ours = beside[name].p99Ms;
    return {
      question: 'neighbours',
      measure: `beside ${attack}: ${whatIsTimed[name]}; baseline: alone`,
      baseline: millisecondsText(baseline),
      ours: millisecondsText(ours),
      ratio: ratioText(ours / baseline),
      reach: `≤ ${ratioText(reachRatio)} or ${unnoticedMs} ms, < 1 s`,
      isReached: isReached(baseline, ours),
      errors: beside[name].errors,
    };
  });
}

/** Each request of the neighbour, alone and beside, and whether it is as quick as is wanted. */
const cellsOf = (alone: MedianTimes, beside: MedianTimes): NeighbourRow['cells'] =>
  timedNames.map((name) => ({
    alone: alone[name],
    beside: beside[name],
    errors: beside[name].errors,
    isReached: isReached(alone[name].p99Ms, beside[name].p99Ms),
  }));
