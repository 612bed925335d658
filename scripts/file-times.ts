import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter } from 'vitest/node';

/** Hundredths of a second: the unit of /proc on every Linux (sysconf(_SC_CLK_TCK)). */
const ticksInSecond = 100;
const rowsMax = 60;

/** Whose time is told apart: the process of the tests, the servers that all share, and all others. */
const columns = ['tests', 'mongod', 'nats', 'processes'] as const;
type Seconds = Record<(typeof columns)[number], number>;
interface Row {
  path: string;
  tests: number;
  seconds: Seconds;
}

/**
 * Prints the processor time, user and system, that each file of tests took: of its own process, of
 * the servers and of all processes that it started. One file at a time must run (vitest.times.config.ts).
 */
export default function createFileTimes(): Reporter {
  const rows: Row[] = [];
  let before = treeSeconds();
  return {
    onTestModuleStart: ({ moduleId }) => {
      // Vitest says nothing of a file before its end, which one that hangs never reaches.
      process.stdout.write(`${pathOf(moduleId)} begins\n`);
      before = treeSeconds();
    },
    onTestModuleEnd: ({ moduleId, children }) => {
      const after = treeSeconds();
      rows.push({
        path: pathOf(moduleId),
        tests: [...children.allTests()].length,
        seconds: perColumn((column) => after[column] - before[column]),
      });
    },
    onTestRunEnd: () => {
      rows.sort((a, b) => total(b.seconds) - total(a.seconds));
      const all = perColumn((column) => rows.reduce((sum, row) => sum + row.seconds[column], 0));
      const tests = rows.reduce((sum, row) => sum + row.tests, 0);
      print(['file', '# of tests', 'processor s', ...columns]);
      print(['---', '---:', '---:', ...columns.map(() => '---:')]);
      for (const row of rows.slice(0, rowsMax)) printRow({ ...row, path: `\`${row.path}\`` });
      printRow({ path: `all ${rows.length} files`, tests, seconds: all });
    },
  };
}

const pathOf = (moduleId: string): string => relative(process.cwd(), moduleId);

const perColumn = (secondsOf: (column: keyof Seconds) => number): Seconds =>
  Object.fromEntries(columns.map((column) => [column, secondsOf(column)])) as Seconds;

const total = (seconds: Seconds): number =>
  columns.reduce((sum, column) => sum + seconds[column], 0);

const print = (cells: unknown[]): boolean => process.stdout.write(`| ${cells.join(' | ')} |\n`);

function printRow({ path, tests, seconds }: Row): void {
  const told = [total(seconds), ...columns.map((column) => seconds[column])];
  print([path, tests, ...told.map((each) => each.toFixed(1))]);
}

/** Seconds of this process, of its living descendants, and of those that ended before. */
function treeSeconds(): Seconds {
  const processes = readProcesses();
  const isOurs = (id: number): boolean =>
    id === process.pid || (processes.has(id) && isOurs(processes.get(id)!.parent));
  const seconds = perColumn(() => 0);
  for (const [id, each] of processes) {
    if (!isOurs(id)) continue;
    seconds[columnOf(id, each)] += each.ticks / ticksInSecond;
    seconds.processes += each.childrenTicks / ticksInSecond;
  }
  return seconds;
}

interface Process {
  name: string;
  parent: number;
  ticks: number;
  /** Of those that it started and that have ended. */
  childrenTicks: number;
}

/**
 * The servers and the process of all tests are children of this process; the programs of a file are
 * children of the latter.
 */
function columnOf(id: number, { name, parent }: Process): keyof Seconds {
  if (id === process.pid) return 'tests';
  if (parent !== process.pid) return 'processes';
  if (name.startsWith('node')) return 'tests';
  return columns.find((column) => name.startsWith(column)) ?? 'processes';
}

function readProcesses(): Map<number, Process> {
  const processes = new Map<number, Process>();
  for (const id of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = readStat(id);
    if (!stat) continue;
    const nameEnd = stat.lastIndexOf(')');
    // What follows the program's name: parent, then utime, stime, cutime and cstime (proc(5)).
    const fields = stat.slice(nameEnd + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
    processes.set(Number(id), {
      name: stat.slice(stat.indexOf('(') + 1, nameEnd),
      parent: Number(fields[1]),
      ticks: user! + system!,
      childrenTicks: childrenUser! + childrenSystem!,
    });
  }
  return processes;
}

/** Undefined where the process has ended meanwhile. */
function readStat(id: string): string | undefined {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}
