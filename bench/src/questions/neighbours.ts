import { setTimeout as pause } from 'node:timers/promises';
import { identity } from '@assay/contracts/identity';
import { createOrganization } from '@assay/local/organization';
import type { Call } from '../client.ts';
import type { TimedResult } from '../load.ts';
import { startAttacker } from '../neighbours/attacker.ts';
import { attacks } from '../neighbours/attacks.ts';
import { createRun, recordBody } from '../records.ts';
import { millisecondsText, type Row, ratioText, say } from '../report.ts';
import { getOf, postOf, throughGateway } from '../requests.ts';
import { median } from '../rounds.ts';
import type { Installation, Setting } from '../setting.ts';

/** The pause after an attack, in which the work that it left ends. */
const settleMs = 2000;
/**
 * How long an attack runs before the measurement: its queues are full then, and its slow schemas
 * are known.
 */
const attackedMs = 8000;
const loadMs = 6000;
const connections = 2;
const scores = 15;
const lookEveryMs = 5;
const patienceMs = 30_000;
/** The most that is wanted: as a multiple of the time without an attack, and in any case. */
const reachRatio = 3;
const reachMs = 1000;

interface NeighbourLatencies {
  read: TimedResult;
  write: TimedResult;
  /** From a record to its value, the longest of some. */
  scoreMs: number;
  scoreMedianMs: number;
}

/**
 * Times one organization's reads of a run, its new records and their scores beside each attack of
 * another. The baseline is measured just before each attack, because a machine can be twice as slow
 * a minute later.
 */
export async function askNeighbours(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { url, bus } = installation;
  const { key } = await createOrganization(bus.asks(identity).identity, { name: 'Attacker' });
  const notice = await createNeighbour(setting, installation);
  await notice();
  const rows: Row[] = [];
  for (const { name } of attacks) {
    const attacker = await startAttacker({ attack: name, url, key });
    await pause(settleMs);
    const alone = await notice();
    await attacker.begin();
    await pause(attackedMs);
    const beside = await notice();
    await attacker.stop();
    say(`  ${name}`);
    say(`    alone:  ${toText(alone)}`);
    say(`    beside: ${toText(beside)}`);
    rows.push(...rowsOf(name, alone, beside));
    await pause(settleMs);
  }
  return rows;
}

async function createNeighbour(
  { generator }: Setting,
  installation: Installation,
): Promise<() => Promise<NeighbourLatencies>> {
  const { call } = installation;
  const runId = await createRun(call);
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
  const scored = await call('POST', `/projects/${project.id}/runs`, { metricIds: [metric.id] });
  return async () => {
    const until = { durationMs: loadMs };
    const [read, write, times] = await Promise.all([
      generator.closedLoop({ ...getOf(door, `/runs/${runId}`), connections, until }),
      generator.closedLoop({
        ...postOf(door, `/runs/${runId}/records`, recordBody),
        connections,
        until,
      }),
      timeScores(call, scored.id),
    ]);
    return { read, write, scoreMs: Math.max(...times), scoreMedianMs: median(times) };
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

const toText = ({ read, write, scoreMs, scoreMedianMs }: NeighbourLatencies): string =>
  `read p99 ${millisecondsText(read.p99Ms)}, write p99 ${millisecondsText(write.p99Ms)}, score ${millisecondsText(scoreMedianMs)}, at most ${millisecondsText(scoreMs)}` +
  [read, write]
    .flatMap(({ errors }) => Object.entries(errors).map(([name, count]) => `, ${count} × ${name}`))
    .join('');

function rowsOf(attack: string, alone: NeighbourLatencies, beside: NeighbourLatencies): Row[] {
  const rowOf = (what: string, baseline: number, ours: number, errors?: number): Row => ({
    question: 'neighbours',
    measure: `beside ${attack}: ${what}; baseline: alone`,
    baseline: millisecondsText(baseline),
    ours: millisecondsText(ours),
    ratio: ratioText(ours / baseline),
    reach: `≤ ${ratioText(reachRatio)} and 1 s`,
    isReached: ours <= reachRatio * baseline && ours <= reachMs,
    ...(errors === undefined ? {} : { errors }),
  });
  const errorsOf = ({ errors }: TimedResult) =>
    Object.values(errors).reduce((sum, count) => sum + count, 0);
  return [
    rowOf('p99 of reading a run', alone.read.p99Ms, beside.read.p99Ms, errorsOf(beside.read)),
    rowOf(
      'p99 of creating a record',
      alone.write.p99Ms,
      beside.write.p99Ms,
      errorsOf(beside.write),
    ),
    rowOf('the longest of 15 scores', alone.scoreMs, beside.scoreMs),
  ];
}
