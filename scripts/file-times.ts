import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter } from 'vitest/node';

/** Hundredths of a second: the unit of /proc on every Linux (sysconf(_SC_CLK_TCK)). */
const ticksInSecond = 100;
const rowsMax = 60;

/**
 * Prints the processor time, user and system, that each file of tests took: of the thread, of the
 * servers and of all processes that it started. One file at a time must run (vitest.times.config.ts).
 */
export default function createFileTimes(): Reporter {
  const rows: { path: string; seconds: number; tests: number }[] = [];
  let before = 0;
  return {
    onTestModuleStart: () => {
      before = treeSeconds();
    },
    onTestModuleEnd: ({ moduleId, children }) => {
      rows.push({
        path: relative(process.cwd(), moduleId),
        seconds: treeSeconds() - before,
        tests: [...children.allTests()].length,
      });
    },
    onTestRunEnd: () => {
      rows.sort((a, b) => b.seconds - a.seconds);
      const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
      process.stdout.write('\n| file | tests | processor s |\n|---|---:|---:|\n');
      for (const { path, tests, seconds } of rows.slice(0, rowsMax))
        process.stdout.write(`| \`${path}\` | ${tests} | ${seconds.toFixed(1)} |\n`);
      process.stdout.write(`| all ${rows.length} files | | ${total.toFixed(1)} |\n`);
    },
  };
}

/** Seconds of this process, of its living descendants, and of those that ended before. */
function treeSeconds(): number {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = readStat(name);
    if (!stat) continue;
    // What follows the program's name: parent, then utime, stime, cutime and cstime (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    processes.set(Number(name), { parent: Number(fields[1]), ticks });
  }
  const isOurs = (id: number): boolean =>
    id === process.pid || (processes.has(id) && isOurs(processes.get(id)!.parent));
  let ticks = 0;
  for (const [id, each] of processes) if (isOurs(id)) ticks += each.ticks;
  return ticks / ticksInSecond;
}

/** Undefined where the process has ended meanwhile. */
function readStat(id: string): string | undefined {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}
