import { expect, test } from 'vitest';
import { createSingleFlight } from '../../concurrency/single-flight.ts';

/** Questions that a test answers, in order. */
function createQuestions() {
  const share = createSingleFlight<string>();
  const asked: {
    key: string;
    resolve: (answer: string) => void;
    reject: (error: Error) => void;
  }[] = [];
  const ask = (key: string) =>
    share(key, () => new Promise((resolve, reject) => asked.push({ key, resolve, reject })));
  return { ask, asked };
}

test('who comes while an answer is on its way shares the next one with all others, and never the one under way', async () => {
  const { ask, asked } = createQuestions();
  const first = ask('a');
  const later = [ask('a'), ask('a'), ask('a')];
  expect(asked.length).toBe(1);
  asked[0]!.resolve('old');
  expect(await first).toBe('old');
  await expect.poll(() => asked.length).toBe(2);
  const latest = ask('a');
  asked[1]!.resolve('new');
  expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]!.resolve('newest');
  expect(await latest).toBe('newest');
});

test('who wants something else, or comes when nothing is on its way, asks at once', async () => {
  const { ask, asked } = createQuestions();
  const answers = [ask('a'), ask('b')];
  expect(asked.map(({ key }) => key)).toEqual(['a', 'b']);
  asked[0]!.resolve('1');
  asked[1]!.resolve('2');
  expect(await Promise.all(answers)).toEqual(['1', '2']);
  const again = ask('a');
  expect(asked.length).toBe(3);
  asked[2]!.resolve('3');
  expect(await again).toBe('3');
});

test('a question that fails fails those who asked it, and the next is asked all the same', async () => {
  const { ask, asked } = createQuestions();
  const [first, second] = [ask('a'), ask('a')];
  asked[0]!.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.resolve('there');
  expect(await second).toBe('there');
});
