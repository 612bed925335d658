import { setTimeout as pause } from 'node:timers/promises';
import { scoring } from '@assay/contracts/scoring';
import { createStreams } from '@assay/runtime/bus/streams';
import { createLog } from '@assay/runtime/log';
import { judgedMetric, startJudge } from '../judge.ts';
import { type Memory, memoryDuring } from '../processes.ts';
import { mebibytesText, type Row, say } from '../report.ts';
import { createWaitingRun, type WaitingRun } from '../scored-run.ts';
import type { Setting } from '../setting.ts';
import { memoryRow } from '../sides.ts';

const levels = [1000, 100_000];
const settleMs = 3000;
const watchMs = 4000;
const lookEveryMs = 250;
const growthBytesMax = 60 * 1024 ** 2;
const watched = ['scoring', 'run-records'] as const;

type WatchedProcess = (typeof watched)[number];

/** Memory while ever more records wait for a judge that does not answer. */
export async function askWaitingJobs(setting: Setting): Promise<Row[]> {
  const { mongodbUri } = await setting.servers();
  const installation = await setting.installation();
  const { call, databaseOf, bus } = installation;
  const streams = createStreams({ bus, log: createLog({ name: 'bench', level: 'warn' }) });
  const judge = await startJudge(setting, {});
  const runs: WaitingRun[] = [];
  const memory: Memory<WatchedProcess>[] = [];
  const pids = {
    scoring: installation.programOf('scoring').pid,
    'run-records': installation.programOf('run-records').pid,
  };
  for (const [index, level] of levels.entries()) {
    const count = level - (levels[index - 1] ?? 0);
    const run = await createWaitingRun({
      call,
      uri: mongodbUri,
      database: databaseOf('run-records'),
      metric: judgedMetric,
      count,
    });
    await call('POST', `/runs/${run.runId}/resume`);
    runs.push(run);
    await pause(settleMs);
    const { most: used } = await memoryDuring(pids, () => pause(watchMs));
    const jobs = await streams.backlog(scoring, 'judgeRecords');
    const { underWay } = await judge.calls();
    const told = watched.map((name) => `${name} ${mebibytesText(used[name])}`).join(', ');
    say(`  ${level} records wait in ${jobs} jobs, of them ${underWay} at the judge: ${told}`);
    memory.push(used);
  }
  for (const { projectId } of runs) await call('DELETE', `/projects/${projectId}`);
  await judge.stop();
  while ((await streams.backlog(scoring, 'judgeRecords')) > 0) await pause(lookEveryMs);
  return watched.flatMap((name) => toRows(name, memory));
}

function toRows(name: WatchedProcess, memory: Memory<WatchedProcess>[]): Row[] {
  const [resting, ...later] = memory.map((used) => used[name]);
  return later.map((most, index) => {
    const measure = `memory of ${name} while ${levels[index + 1]!.toLocaleString('en-US')} records wait; baseline: 1,000`;
    return memoryRow({ question: 'waiting', measure, resting: resting!, most, growthBytesMax });
  });
}
