import type { Command } from 'commander';
import type { Context } from './options.ts';

type AddCommand = (program: Command, context: Context) => void;

/** The modules of commands, each with the names of those that it adds, in the order of the help. */
export const commands: [names: string[], load: () => Promise<AddCommand>][] = [
  [['login', 'whoami', 'logout'], async () => (await import('./commands/account.ts')).addAccount],
  [['runs'], async () => (await import('./commands/runs.ts')).addRuns],
  [['watch'], async () => (await import('./commands/watch.ts')).addWatch],
  [['rescore'], async () => (await import('./commands/rescore.ts')).addRescore],
  [['compare'], async () => (await import('./commands/compare.ts')).addCompare],
  [['gate'], async () => (await import('./commands/gate.ts')).addGate],
  [['baseline'], async () => (await import('./commands/baseline.ts')).addBaseline],
  [['promote'], async () => (await import('./commands/promote.ts')).addPromote],
  [['records'], async () => (await import('./commands/records.ts')).addRecords],
  [['init'], async () => (await import('./commands/init.ts')).addInit],
  [['diff', 'push'], async () => (await import('./commands/push.ts')).addPush],
  [['pull'], async () => (await import('./commands/pull.ts')).addPull],
  [['run'], async () => (await import('./commands/run.ts')).addRun],
  [['import'], async () => (await import('./commands/import.ts')).addImport],
  [['export'], async () => (await import('./commands/export.ts')).addExport],
  [['open'], async () => (await import('./commands/open.ts')).addOpen],
  [['mcp'], async () => (await import('./commands/mcp.ts')).addMcp],
  [['completion'], async () => (await import('./commands/completion.ts')).addCompletion],
];

/**
 * Loads the module of the command that the first argument names: to load all of them takes longer
 * than most commands work. Loads all where it names none, as for the help, and for `completion`,
 * which lists them.
 */
export async function commandsFor([name = '']: string[]): Promise<AddCommand[]> {
  const named = commands.filter(([names]) => name !== 'completion' && names.includes(name));
  return Promise.all((named.length > 0 ? named : commands).map(([, load]) => load()));
}
