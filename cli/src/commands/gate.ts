import type { Command } from 'commander';
import { addGateOptions, type Options, readArguments } from '../gate/arguments.ts';
import { runGate } from '../gate/command.ts';
import type { Context } from '../options.ts';

/** `assay gate`, and `npm run gate`: a comparison with an exit code, or a plan for one. */
export function addGate(program: Command, { connection }: Context): void {
  const command = addGateOptions(
    program
      .command('gate')
      .description(
        'Compare a candidate run with a baseline run, and end with 0, 1 or 2: a gate for CI. With --plan, say how many testcases such a comparison needs.',
      ),
  );
  command.action(async (options: Options) => {
    const { current, servers } = await connection.credentials.read();
    const keyOfUrl = (url: string) => (Object.hasOwn(servers, url) ? servers[url]?.key : undefined);
    await runGate(readArguments(command, options, { url: current, keyOfUrl }));
  });
}
