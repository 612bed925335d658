import { version } from '@assay/contracts/version';
import { Command, CommanderError } from 'commander';
import { commandsFor } from './commands.ts';
import { type Connection, createConnection } from './connection.ts';
import { sentencesOf } from './failure.ts';
import { createTerminal, type Terminal } from './terminal.ts';

const description =
  'Assay on the command line: import evaluations, follow runs, compare them, and fail a CI job when a candidate is worse.';

const help = `
Data goes to standard output, talk to standard error. --json makes it data for programs.

Exit codes:
  0  done
  1  an answer that a script should stop at: worse (gate), losses (import --strict)
  2  could not do it, could not tell, or wrong arguments; standard error says why, and what to do

ASSAY_URL and ASSAY_API_KEY win over what \`assay login\` stored.`;

interface Surroundings {
  terminal?: Terminal;
  connectionOf?: (terminal: Terminal) => Connection;
}

/** `assay`: runs the command that the arguments name; the outcome is the exit code. */
export async function runAssay(
  argv: string[],
  { terminal = createTerminal(), connectionOf = createConnection }: Surroundings = {},
): Promise<void> {
  let lastUrl: () => string | undefined = () => undefined;
  try {
    const connection = connectionOf(terminal);
    ({ lastUrl } = connection);
    const context = { terminal, connection };
    const program = new Command('assay')
      .description(description)
      .addHelpText('after', help)
      .version(version, '--version', 'print the version')
      .showSuggestionAfterError()
      .configureOutput({ outputError: (text, write) => write(text) })
      .exitOverride();
    for (const add of await commandsFor(argv)) add(program, context);
    for (const command of program.commands) command.exitOverride().showHelpAfterError(usageHint);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    terminal.say(sentencesOf(error, lastUrl()));
    process.exitCode = 2;
  }
}

const usageHint = '(Add --help for the options and examples.)';
