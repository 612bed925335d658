import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { runProgram } from './binaries/program.ts';
import { until } from './until.ts';

/** A process, told from a later one that got the same pid by the moment it started. */
export interface ProcessRecord {
  pid: number;
  startedAt: string;
}

/** The record of a running process; undefined when there is none, or only its zombie. */
export async function recordOf(pid: number): Promise<ProcessRecord | undefined> {
  const startedAt = process.platform === 'linux' ? await linuxStart(pid) : await posixStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether exactly this process still runs. */
export const isRunning = async (record: ProcessRecord): Promise<boolean> =>
  (await recordOf(record.pid))?.startedAt === record.startedAt;

/** A record from its text; undefined when the text is something else. */
export function parseRecord(text: string): ProcessRecord | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Partial<ProcessRecord>;
    return Number.isSafeInteger(pid) && pid! > 0 && typeof startedAt === 'string'
      ? { pid: pid!, startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Written aside and renamed, so that a reader never sees half a record. */
export async function writeRecord({
  file,
  record,
}: {
  file: string;
  record: ProcessRecord;
}): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, JSON.stringify(record));
  await rename(aside, file);
}

/**
 * Ends exactly the process that the file records (SIGTERM, at the deadline SIGKILL) and removes the
 * file.
 */
export async function endRecorded({
  file,
  timeoutMs,
}: {
  file: string;
  timeoutMs: number;
}): Promise<void> {
  const record = parseRecord(await readFile(file, 'utf8').catch(() => ''));
  if (record) await endProcess({ record, timeoutMs });
  await rm(file, { force: true });
}

async function endProcess({
  record,
  timeoutMs,
}: {
  record: ProcessRecord;
  timeoutMs: number;
}): Promise<void> {
  const gone = async () => !(await isRunning(record));
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await gone()) return;
    send({ pid: record.pid, signal });
    if (await until({ condition: gone, timeoutMs })) return;
  }
  throw new Error(`Process ${record.pid}, left over from an earlier start, cannot be ended.`);
}

function send({ pid, signal }: { pid: number; signal: NodeJS.Signals }): void {
  try {
    process.kill(pid, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}

/**
 * proc(5): after the command in parentheses comes the state; field 22 is the start in ticks since
 * boot, hence the boot id.
 */
async function linuxStart(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (!stat) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()}:${fields[19]}`;
}

async function posixStart(pid: number): Promise<string | undefined> {
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const line = await runProgram({
    command: 'ps',
    args,
    environment: { LC_ALL: 'C', TZ: 'UTC' },
    timeoutMs: 5_000,
  }).catch(() => '');
  const [state, ...start] = line.trim().split(/\s+/);
  return !state || state.startsWith('Z') ? undefined : start.join(' ');
}
