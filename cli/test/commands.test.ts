import { Command } from 'commander';
import { expect, test } from 'vitest';
import { commands, commandsFor } from '../src/commands.ts';
import { createConnection } from '../src/connection.ts';
import type { Terminal } from '../src/terminal.ts';

// Nothing is said, since no command is run.
const terminal = {} as Terminal;
const context = { terminal, connection: createConnection(terminal) };

/** The names of the commands that these arguments load. */
async function loaded(...argv: string[]): Promise<string[]> {
  const program = new Command();
  for (const add of await commandsFor(argv)) add(program, context);
  return program.commands.map((command) => command.name());
}

test.each(commands)(
  '%j are the commands that their module adds, and alone are loaded',
  async (names) => {
    for (const name of names.filter((each) => each !== 'completion'))
      expect(await loaded(name, '--json')).toEqual(names);
  },
);

test('the help, a name that is no command and the completion know all commands', async () => {
  const all = commands.flatMap(([names]) => names);
  for (const argv of [[], ['--help'], ['help', 'run'], ['rnus'], ['completion']])
    expect(await loaded(...argv)).toEqual(all);
});
