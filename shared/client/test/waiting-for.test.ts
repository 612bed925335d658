import { expect, test } from 'vitest';
import { timeOfDay, waitingSentences } from '../waiting-for.ts';

test('what scores wait for is told with its fault and the next try', () => {
  const awaited = {
    model: 'openai/gpt-4o',
    code: 'provider_error' as const,
    message: 'openai answered 503.',
    since: '2026-01-31T14:00:00.000Z',
    nextProbeAt: new Date(2026, 0, 31, 14, 5).toISOString(),
  };
  expect(waitingSentences({ waitingFor: [awaited] }, timeOfDay)).toEqual([
    'The judge openai/gpt-4o is away (openai answered 503): next try at 14:05.',
  ]);
  expect(waitingSentences({}, timeOfDay)).toEqual([]);
});
