import { createClient } from '@assay/client/client';
import { Command } from 'commander';
import { addGateOptions, readArguments } from '../../src/gate/arguments.ts';
import { answerGate } from '../../src/gate/command.ts';
import { harmlessLine } from '../../src/gate/formats/harmless.ts';
import type { CommandResult } from './command.ts';

/**
 * Answers the arguments of the gate by the code behind the command, in this process. Another one
 * takes half a second more, and says the same: `gate.test.ts` runs some.
 */
export async function answerInProcess(
  args: string[],
  { url, key }: { url: string; key: string },
): Promise<CommandResult> {
  const command = addGateOptions(new Command('gate')).exitOverride();
  command.parse([...args, '--url', url, '--key', key], { from: 'user' });
  const login = { url: undefined, keyOfUrl: () => undefined };
  const { url: basePath, question, format } = readArguments(command, command.opts(), login);
  const client = createClient({ url: basePath, key });
  const drawing = { widthMax: 80, isColored: false };
  const { exitCode, reason, wanted } = await answerGate(client, question, { format, drawing });
  return { exitCode, stdout: wanted(), stderr: `${harmlessLine(reason)}\n` };
}
