import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { partOfRun, type RunPart } from '../part-of-run.ts';

/** The examples that the package of Python has to write, too. */
const examples: { run: RunPart; text: string | null }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'part-of-run.json'), 'utf8'),
);

test.each(examples)('the part of a run in words: $text', ({ run, text }) => {
  expect(partOfRun(run) ?? null).toBe(text);
});
