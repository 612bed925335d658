// Processor time, user and system, of the processes that this one has started and that have ended,
// with all of theirs. Linux tells it in /proc; elsewhere it is not known.
import { readFileSync } from 'node:fs';

/** Hundredths of a second: the unit of /proc on every Linux (sysconf(_SC_CLK_TCK)). */
const ticksInSecond = 100;

/** Seconds of ended children; undefined where the system does not tell. */
export function childrenSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // What follows the name of the program: fields 14 and 15 of it are cutime and cstime (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / ticksInSecond;
  } catch {
    return undefined;
  }
}

/** Counts the processor time of steps that are done one after the other. */
export function createProcessorTimes() {
  const seconds = {};
  return {
    async of(name, work) {
      const before = childrenSeconds();
      const result = await work();
      const after = childrenSeconds();
      if (after !== undefined) seconds[name] = (seconds[name] ?? 0) + after - before;
      return result;
    },
    /** An aligned table: each step, their sum, and how many compiles of the tree that is. */
    table({ compile, ...steps } = seconds) {
      const total = Object.values(steps).reduce((sum, each) => sum + each, 0);
      const rows = [
        ...Object.entries(steps),
        ['npm test', total],
        ['forced full compile', compile],
      ];
      const lines = rows.map(
        ([name, each]) => `${name.padEnd(20)}${each.toFixed(1).padStart(9)} s`,
      );
      return `${lines.join('\n')}\n${'ratio'.padEnd(20)}${(total / compile).toFixed(1).padStart(9)}\n`;
    },
  };
}
