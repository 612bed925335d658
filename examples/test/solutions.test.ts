import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { models, readSolutions } from '../src/gsm8k/solutions.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-solutions-'));
});
afterAll(() => rm(folder, { recursive: true }));

const problem = (number: number) => ({
  question: `What is ${number} and 1?`,
  ground_truth: `It is more.\nA: ${number + 1}`,
  ...Object.fromEntries(
    models.map((model) => [model, { is_correct: true, solution: `A: ${number + 1}` }]),
  ),
});
const whole = Array.from({ length: 1319 }, (_, index) => JSON.stringify(problem(index)));

async function fault(content: string | Buffer): Promise<string> {
  const path = join(folder, 'file.jsonl');
  await writeFile(path, content);
  const { message } = await readSolutions(path).then(
    () => ({ message: 'nothing' }),
    (error: Error) => error,
  );
  return message.replace(path, 'FILE');
}

const withLine = (number: number, line: string) => `${whole.with(number - 1, line).join('\n')}\n`;

describe('a file of model solutions', () => {
  test.each([
    ['with a final line break', `${whole.join('\n')}\n`],
    ['without one', whole.join('\n')],
    ['with the line breaks of Windows', `${whole.join('\r\n')}\r\n`],
    ['with a byte order mark', `\uFEFF${whole.join('\n')}`],
  ])('is read whole %s', async (_how, content) => {
    const path = join(folder, 'good.jsonl');
    await writeFile(path, content);
    const problems = await readSolutions(path);
    expect(problems).toHaveLength(1319);
    expect(problems[1318]!.question).toBe('What is 1318 and 1?');
  });

  test.each([
    ['that is empty', '', 'FILE is empty: the GSM8K model solutions have 1319 lines.'],
    [
      'that ends early',
      `${whole.slice(0, 1000).join('\n')}\n`,
      'FILE ends after line 1000 of 1319: it is truncated.',
    ],
    [
      'that ends in a line',
      whole.slice(0, 1000).join('\n').slice(0, -20),
      'FILE, line 1000: the file is cut off in this line.',
    ],
    [
      'with too many lines',
      [...whole, whole[0]].join('\n'),
      'FILE, line 1320: the GSM8K model solutions have 1319 lines, this file has 1320.',
    ],
    ['with an empty line', withLine(7, ''), 'FILE, line 7: this line is empty.'],
    [
      'with a line that is no JSON',
      withLine(8, 'question,answer'),
      'FILE, line 8: this is not JSON.',
    ],
    [
      'with a line that is no object',
      withLine(9, '[1]'),
      'FILE, line 9: this is not a JSON object.',
    ],
    [
      'without a question',
      withLine(10, '{"answer":"4"}'),
      'FILE, line 10: "question" is missing or not a text.',
    ],
    [
      'without an answer in the reference',
      withLine(11, JSON.stringify({ ...problem(1), ground_truth: 'A: many' })),
      'FILE, line 11: "ground_truth" has no number after "A:".',
    ],
    [
      'without one of the models',
      withLine(12, JSON.stringify({ ...problem(1), '175b_finetuning': undefined })),
      'FILE, line 12: "175b_finetuning" is missing or has no "solution" and "is_correct".',
    ],
    [
      'with a line that is too long',
      withLine(13, JSON.stringify({ ...problem(1), question: 'x'.repeat(40_000) })),
      'FILE, line 13: this is no GSM8K model solution, it is longer than 32,768 characters.',
    ],
  ])('%s is refused in one sentence that says where', async (_what, content, sentence) => {
    expect(await fault(content)).toBe(sentence);
  });

  test('that is not UTF-8 is refused with the line', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${whole[0]}\n`),
      Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    ]);
    expect(await fault(bytes)).toBe('FILE, line 2: this is not UTF-8 text.');
  });

  test('that is not there, or is a folder or no file at all, is refused', async () => {
    await expect(readSolutions('missing.jsonl')).rejects.toThrow(
      'missing.jsonl cannot be read: there is no such file.',
    );
    await expect(readSolutions(folder)).rejects.toThrow('it is a folder.');
    await expect(readSolutions('/dev/null')).rejects.toThrow(
      '/dev/null cannot be read: it is not a file.',
    );
  });

  test('of more than 16 MiB is refused before it is read', async () => {
    expect(await fault(Buffer.alloc(16 * 1024 * 1024 + 1))).toBe(
      'FILE is not the file of GSM8K model solutions: it has more than 16 MiB.',
    );
  });
});
