import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './imports.ts';

interface Step {
  commands: string;
  /** What the README says that the commands print: ids are `…`. */
  printed: string;
}

/**
 * The fenced blocks of the first conversation: each `bash` one with the `text` one that follows it.
 */
export function conversation(): Step[] {
  const section = /^## A first conversation\n([\s\S]*?)^## /m.exec(
    readFileSync(join(root, 'README.md'), 'utf8'),
  )![1]!;
  const blocks = [...section.matchAll(/^```(bash|text)\n([\s\S]*?)^```$/gm)].map(
    ([, kind, text]) => ({ kind, text: text! }),
  );
  return blocks.flatMap(({ kind, text }, index) => {
    const next = blocks[index + 1];
    return kind === 'bash'
      ? [{ commands: text, printed: next?.kind === 'text' ? next.text : '' }]
      : [];
  });
}

const endOfStep = '=== end of step';
export const withoutIds = (text: string) =>
  text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…');

/**
 * Gives the commands to bash as its input, as a terminal does with what is pasted; answers with
 * what each step printed.
 */
export async function paste(
  steps: { commands: string }[],
  environment: Record<string, string>,
  folder: string,
): Promise<string[]> {
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('bash', [], {
    cwd: folder,
    env: { PATH, HOME, ...environment },
    stdio: 'pipe',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => (printed += chunk));
  shell.stdin.end(steps.map(({ commands }) => `${commands}echo '${endOfStep}'\n`).join(''));
  await once(shell, 'close');
  return printed.split(`${endOfStep}\n`).slice(0, -1);
}
