import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pointersIn } from '../src/text/pointers.ts';

test('the keys of an object and those one level below are found, of objects alone', () => {
  const payload = { answer: { text: 'a', sources: [{ url: 'u' }] }, list: [{ no: 1 }], n: 1 };
  expect(pointersIn(JSON.stringify(payload))).toEqual([
    '/answer',
    '/answer/text',
    '/answer/sources',
    '/list',
    '/n',
  ]);
});

test('signs of JSON in texts and in keys are no keys', () => {
  const payload = { 'a/b~c': '{"no": 1}', '"q": {': { '}': '[' } };
  expect(pointersIn(JSON.stringify(payload))).toEqual(['/a~1b~0c', '/"q": {', '/"q": {/}']);
});

test('what is found in the beginning of an object is found in the whole', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (payload, cut) => {
      const json = JSON.stringify(payload);
      const whole = pointersIn(json);
      for (const pointer of pointersIn(json.slice(0, cut % (json.length + 1))))
        expect(whole).toContain(pointer);
    }),
  );
});

test('every key of the first two levels is found', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.jsonValue())),
      (payload) => {
        const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
        const expected = Object.entries(payload).flatMap(([key, below]) => [
          `/${escaped(key)}`,
          ...Object.keys(below).map((each) => `/${escaped(key)}/${escaped(each)}`),
        ]);
        expect(new Set(pointersIn(JSON.stringify(payload)))).toEqual(new Set(expected));
      },
    ),
  );
});
