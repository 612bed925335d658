import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createTerminal } from '../src/terminal.ts';

/** The output of a terminal, or of a pipe: the data as bytes in two pieces, and then as text. */
async function written(data: string, { isTTY }: { isTTY: boolean }): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const out = text(stdout);
  const stderr = new PassThrough();
  const terminal = createTerminal({ stdout, stderr } as unknown as typeof process);
  const bytes = Buffer.from(data);
  await terminal.write(bytes.subarray(0, 1));
  await terminal.write(bytes.subarray(1));
  await terminal.write(data);
  stdout.end();
  return out;
}

const hostile = '\u009b2J\u202e{"a":\t"é"}\r\n\u001b[2J';

test('data on a terminal cannot steer it, and keeps its tabs and line breaks', async () => {
  const shown = '\ufffd2J\ufffd{"a":\t"é"}\r\n\ufffd[2J';
  expect(await written(hostile, { isTTY: true })).toBe(shown.repeat(2));
});

test('data for a file or another program stays as it is', async () => {
  expect(await written(hostile, { isTTY: false })).toBe(hostile.repeat(2));
});
