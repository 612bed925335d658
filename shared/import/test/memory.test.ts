import { heldMiB } from '@assay/testing/held-memory';
import { volume } from '@assay/testing/volume';
import { expect, test } from 'vitest';
import { readImport } from '../formats.ts';
import type { SourceFile } from '../source.ts';

const fileBytes = volume(200 * 1024 * 1024);
const words = 'Where is my parcel? It was sent on Monday. '.repeat(1000);

/** A large file that is nowhere: its rows are made as they are read. */
function generated(name: string, start: string, row: string, end = ''): SourceFile {
  const rowsInBlock = 20;
  const block = Buffer.from(row.repeat(rowsInBlock));
  const head = Buffer.from(start + row);
  return {
    name,
    size: fileBytes,
    async *open(from, to) {
      if (to !== undefined) return yield Buffer.concat([head, block, block]).subarray(from, to);
      yield head;
      for (let at = head.length; at < fileBytes; at += block.length) yield block;
      yield Buffer.from(end);
    },
  };
}

const result = JSON.stringify({
  testIdx: 0,
  promptIdx: 0,
  vars: { question: words },
  provider: { id: 'small-1' },
  prompt: { raw: '{{question}}', label: 'Plain' },
  response: { output: 'Soon.' },
  success: true,
  score: 1,
});

test.each([
  ['csv', generated('t.csv', 'question,answer\n', `"${words}",Soon.\n`)],
  ['jsonl', generated('t.jsonl', '', `${JSON.stringify({ question: words, answer: 'Soon.' })}\n`)],
])('a large file of %s is imported in flat memory', async (format, file) => {
  await expectFlat(format, file);
});

test('a large list in a document of JSON is imported in flat memory', async () => {
  const start = '{"evalId": "e1", "results": {"version": 3, "results": [';
  const file = generated('r.json', start, `${result},`, `${result}]}}`);
  await expectFlat('promptfoo', file);
});

async function expectFlat(format: string, file: SourceFile): Promise<void> {
  const before = heldMiB();
  let peak = 0;
  let entities = 0;
  for await (const _entity of readImport(format, { name: file.name, files: [file] })) {
    if (entities % 1000 === 0) peak = Math.max(peak, heldMiB() - before);
    entities += 1;
  }
  expect(entities).toBeGreaterThan(volume(4000));
  expect(peak).toBeLessThan(32);
}
