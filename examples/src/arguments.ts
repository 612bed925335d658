import { Command, CommanderError } from 'commander';

export interface DemoArguments {
  /** End after the evaluation. */
  exit: boolean;
  /** The file of published model solutions to evaluate in place of the ingredient lines. */
  gsm8k?: string;
}

/**
 * Parses the arguments. Help ends the process with 0; invalid arguments print the usage and end it
 * with 2.
 */
export function readArguments(argv: readonly string[]): DemoArguments {
  const program = new Command('npm run demo --')
    .description(
      'Starts Assay, evaluates three versions of a small program, and stays up until Ctrl-C.',
    )
    .option('--exit', 'end after the evaluation', false)
    .option(
      '--gsm8k <path>',
      'evaluate the published GSM8K model solutions (model_solutions.jsonl) instead',
    )
    .allowExcessArguments(false)
    .showHelpAfterError()
    .exitOverride();
  try {
    return program.parse(argv, { from: 'user' }).opts<DemoArguments>();
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    throw error;
  }
}
