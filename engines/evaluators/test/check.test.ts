import { afterAll, describe, expect, test } from 'vitest';
import { createSetting } from './setting.ts';

const { run, check, close } = createSetting();
afterAll(close);

describe('checkBuiltin', () => {
  test('names the evaluators there are when one is unknown, inherited names included', async () => {
    for (const name of ['bleu', 'toString', '__proto__']) {
      expect(await check(name)).toEqual([
        { path: '/builtin/name', message: expect.stringMatching(/exact_match.*set_f1/) },
      ]);
    }
  });

  test('reports every wrong option at its place', async () => {
    const options = JSON.parse(
      '{"after": "", "absolute": -1, "relative": "x", "output": "a", "expected": "/~2", "a/b": 1, "__proto__": 2}',
    );
    const problems = await check('number_close', options);
    expect(problems.map((problem) => problem.path).sort()).toEqual(
      ['__proto__', 'a~1b', 'absolute', 'after', 'expected', 'output', 'relative']
        .map((option) => `/builtin/options/${option}`)
        .sort(),
    );
    expect(await check('regex_match', { pattern: 'a', expected: '/x' })).toMatchObject([
      { path: '/builtin/options/expected' },
    ]);
    expect(await check('exact_match', { ignoreCase: 'yes' })).toMatchObject([
      { path: '/builtin/options/ignoreCase' },
    ]);
  });

  test('refuses patterns that RE2 does not know or that are huge', async () => {
    for (const pattern of [
      '(',
      '(?=a)b',
      '(a)\\1',
      'a{1001}',
      '(((a{20}){20}){20})',
      'a'.repeat(2001),
      7,
    ]) {
      expect(await check('regex_match', { pattern })).toMatchObject([
        { path: '/builtin/options/pattern' },
      ]);
    }
    expect(await check('regex_match')).toEqual([
      { path: '/builtin/options/pattern', message: 'Is required.' },
    ]);
  });

  test('lets nothing be evaluated that it refuses', async () => {
    expect(await run({ name: 'bleu' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('/builtin/name'),
    });
    expect(
      await run({ name: 'regex_match', options: { pattern: '(' }, outputs: { o: 'a' } }),
    ).toMatchObject({ ok: false });
  });
});
