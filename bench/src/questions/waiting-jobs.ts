import { setTimeout as pause } from 'node:timers/promises';
import { scoring } from '@assay/contracts/scoring';
import { createLog } from '@assay/runtime/log';
import { createStreams } from '@assay/runtime/streams';
import { judgedMetric, startJudge } from '../judge.ts';
import { listProcesses } from '../processes.ts';
import { mebibytesText, type Row, say } from '../report.ts';
import { createWaitingRun, type WaitingRun } from '../scored-run.ts';
import type { Installation, Setting } from '../setting.ts';

const levels = [1000, 10_000, 100_000];
const settleMs = 4000;
const watchMs = 6000;
const sampleEveryMs = 250;
const reachBytes = 60 * 1024 ** 2;
const watched = ['scoring', 'run-records'] as const;

type Memory = Record<(typeof watched)[number], number>;

/** Memory while ever more records wait for a judge that does not answer. */
export async function askWaitingJobs(setting: Setting): Promise<Row[]> {
  const { mongodbUri } = await setting.servers();
  const installation = await setting.installation();
  const { call, databaseOf, bus } = installation;
  const streams = createStreams({ bus, log: createLog({ name: 'bench', level: 'warn' }) });
  const judge = await startJudge(setting, {});
  const runs: WaitingRun[] = [];
  const memory: Memory[] = [];
  for (const [index, level] of levels.entries()) {
    const count = level - (levels[index - 1] ?? 0);
    const run = await createWaitingRun({ call, uri: mongodbUri, database: databaseOf('run-records'), metric: judgedMetric, count });
    await call('POST', `/runs/${run.runId}/resume`);
    runs.push(run);
    await pause(settleMs);
    const used = await watch(installation);
    const jobs = await streams.backlog(scoring, 'judgeRecords');
    const { underWay } = await judge.calls();
    const told = watched.map((name) => `${name} ${mebibytesText(used[name])}`).join(', ');
    say(`  ${level} records wait in ${jobs} jobs, of them ${underWay} at the judge: ${told}`);
    memory.push(used);
  }
  for (const { projectId } of runs) await call('DELETE', `/projects/${projectId}`);
  await judge.stop();
  while ((await streams.backlog(scoring, 'judgeRecords')) > 0) await pause(sampleEveryMs);
  return watched.flatMap((name) => toRows(name, memory));
}

/** The most that each process had while it was looked at. */
async function watch({ programOf }: Installation): Promise<Memory> {
  const most: Memory = { scoring: 0, 'run-records': 0 };
  for (const endMs = performance.now() + watchMs; performance.now() < endMs; await pause(sampleEveryMs)) {
    const processes = await listProcesses();
    for (const name of watched) most[name] = Math.max(most[name], processes.find(({ pid }) => pid === programOf(name).pid)!.bytes);
  }
  return most;
}

function toRows(name: (typeof watched)[number], memory: Memory[]): Row[] {
  const [first, ...later] = memory.map((used) => used[name]);
  return later.map((bytes, index) => ({
    question: 'waiting',
    measure: `memory of ${name} while ${levels[index + 1]!.toLocaleString('en-US')} records wait; baseline: 1,000`,
    baseline: mebibytesText(first!),
    ours: mebibytesText(bytes),
    reach: `≤ + ${mebibytesText(reachBytes)}`,
    isReached: bytes - first! <= reachBytes,
  }));
}
