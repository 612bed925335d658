import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './imports.ts';

interface Step {
  commands: string;
  /** What the page says that the commands print: ids are `…`. */
  printed: string;
}

/**
 * The fenced blocks of docs/first-conversation.md: each `bash` one with the `text` one that follows.
 */
export function conversation(): Step[] {
  const page = readFileSync(join(root, 'docs/first-conversation.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(bash|text)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({
    kind,
    text: text!,
  }));
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
