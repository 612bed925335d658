import { Command, CommanderError, Option } from 'commander';

export interface CheckArguments {
  /** The model that judges; the installation's default when left out. */
  model?: string;
  /** The ready-made judges to check. */
  template: string[];
}

/**
 * Parses the arguments. Help ends the process with 0; invalid arguments print the usage and end it
 * with 2.
 */
export function readCheckArguments(
  argv: readonly string[],
  templates: readonly string[],
): CheckArguments {
  const program = new Command('npm run judges:check --')
    .description('Starts Assay, and has ready-made judges score records whose scores are known.')
    .option('--model <name>', 'the model that judges, such as openai/gpt-4o-mini')
    .addOption(
      new Option('--template <name...>', 'check these alone')
        .choices(templates)
        .default(templates, 'all'),
    )
    .allowExcessArguments(false)
    .showHelpAfterError()
    .exitOverride();
  try {
    return program.parse(argv, { from: 'user' }).opts<CheckArguments>();
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    throw error;
  }
}
