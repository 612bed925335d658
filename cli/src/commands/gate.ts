import type { Command } from 'commander';

/**
 * `assay gate` in the list of commands. Its arguments never come here: the gate reads them itself, as
 * `npm run gate` does.
 */
export function addGate(program: Command): void {
  program
    .command('gate')
    .description('Compare a candidate with a baseline, and end with 0, 1 or 2: a gate for CI.')
    .helpOption(false);
}
