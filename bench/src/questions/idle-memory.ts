import { setTimeout as pause } from 'node:timers/promises';
import { startLaptop } from '../laptop.ts';
import { listProcesses } from '../processes.ts';
import { createRun, recordBody } from '../records.ts';
import { mebibytesText, type Row, say } from '../report.ts';
import { postOf, throughGateway } from '../requests.ts';
import type { Setting } from '../setting.ts';

const idleMs = 8000;
const busyMs = 5000;
const reachBytes = 400 * 1024 ** 2;

/**
 * Memory of the laptop's mode when nobody asks anything: after its start, and after it was busy.
 */
export async function askIdleMemory(setting: Setting): Promise<Row[]> {
  const laptop = await startLaptop(setting);
  const request = postOf(
    throughGateway(laptop),
    `/runs/${await createRun(laptop.call)}/records`,
    recordBody,
  );
  const started = await idle(laptop.pid);
  say(`  busy for ${busyMs / 1000} s …`);
  await setting.generator.closedLoop({
    ...request,
    connections: 50,
    until: { durationMs: busyMs },
  });
  const worked = await idle(laptop.pid);
  await laptop.stop();
  return [
    ...toRows('idle after the start', started),
    ...toRows(`idle after ${busyMs / 1000} s of single records`, worked),
    { question: 'memory', measure: '  mongod by then', ours: mebibytesText(worked.mongod) },
  ];
}

async function idle(pid: number): Promise<Memory> {
  say(`  idle for ${idleMs / 1000} s …`);
  await pause(idleMs);
  return memoryOf(pid);
}

const toRows = (when: string, { node, nats }: Memory): Row[] => [
  {
    question: 'memory',
    measure: `the laptop's mode (Node and NATS), ${when}`,
    ours: mebibytesText(node + nats),
    reach: '< 400 MiB',
    isReached: node + nats < reachBytes,
  },
  { question: 'memory', measure: '  of it Node', ours: mebibytesText(node) },
];

/** Resident bytes. */
interface Memory {
  node: number;
  nats: number;
  mongod: number;
}

/** Of a process, and of the servers that this one started for it. */
async function memoryOf(pid: number): Promise<Memory> {
  const processes = await listProcesses();
  const serverBytes = (name: string) =>
    processes
      .filter((one) => one.parent === process.pid && one.name.startsWith(name))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  const node = processes.find((one) => one.pid === pid)!.bytes;
  return { node, nats: serverBytes('nats-server'), mongod: serverBytes('mongod') };
}
