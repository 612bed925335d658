import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';

interface RunningProcess {
  pid: number;
  parent: number;
  /** Resident memory. */
  bytes: number;
  name: string;
}

/** What runs on this machine at this moment. */
export async function listProcesses(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,rss=,comm=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, kibibytes, command]) => ({
      pid: Number(pid),
      parent: Number(parent),
      bytes: Number(kibibytes) * 1024,
      name: basename(command!),
    }));
}
