import { defineFormat } from '../assemble.ts';
import type { Item, Reading } from '../item.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { baseName, readHead, type SourceFile } from '../source.ts';
import { configItems } from './promptfoo/config.ts';
import { resultItems } from './promptfoo/results.ts';

function isConfig(head: Uint8Array, name: string): boolean {
  const sketch = sketchOf(head);
  if (/^promptfooconfig\b/.test(baseName(name))) return true;
  if (sketch.shape === 'object')
    return has(sketch, 'prompts', 'providers') && !has(sketch, 'results');
  return (
    /^providers\s*:/m.test(sketch.text) && /^(prompts|tests|defaultTest)\s*:/m.test(sketch.text)
  );
}

async function* items(reading: Reading): AsyncGenerator<Item> {
  for (const file of reading.source.files)
    yield* (await isConfigFile(file)) ? configItems(file, reading) : resultItems(file, reading);
}

const isConfigFile = async (file: SourceFile): Promise<boolean> =>
  isConfig(await readHead(file), file.name);

export const promptfoo = defineFormat({
  name: 'promptfoo',
  title: 'promptfoo results or config',
  detect(head, name) {
    if (isConfig(head, name)) return 0.95;
    const sketch = sketchOf(head);
    if (has(sketch, 'promptIdx', 'testIdx')) return 0.95;
    if (sketch.shape !== 'object' || !has(sketch, 'results')) return 0;
    if (has(sketch, 'evalId') || /"(promptIdx|gradingResult|namedScores)"/.test(sketch.text))
      return 0.95;
    return /"results"\s*:\s*\{\s*"version"/.test(sketch.text) ? 0.9 : 0;
  },
  items,
});
