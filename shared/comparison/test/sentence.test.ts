import { expect, test } from 'vitest';
import type { ComparedMetric } from '../figures.ts';
import { verdictSentence } from '../sentence.ts';
import examples from './sentences.json' with { type: 'json' };

test.each(examples.cases)('a verdict is said in the words of all clients: $name', (example) => {
  const metric = { ...examples.metric, ...example.metric } as unknown as ComparedMetric;
  expect(verdictSentence(metric, examples.candidate)).toBe(example.sentence);
});
