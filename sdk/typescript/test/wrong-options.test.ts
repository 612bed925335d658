import { expect, test } from 'vitest';
import { evaluate } from '../src/evaluate.ts';
import { optionNames } from '../src/options.ts';

const wrong = [5, -1, Number.NaN, 'x', [], [1], {}, { a: 1 }, Symbol('s'), 10n, true, null, Date];
const onServer = { testset: 'T', url: 'http://127.0.0.1:9', apiKey: 'k', patienceMs: 0 };
const locally = { local: true, testcases: [{ inputs: {} }] };

test.each(optionNames)('whatever `%s` is, it is taken or refused in a sentence', async (name) => {
  for (const value of wrong)
    for (const surroundings of [onServer, locally]) {
      const options = { system: () => ({}), quiet: true, ...surroundings, [name]: value };
      const refusal = await evaluate('P', options as never).then(
        () => undefined,
        (error: unknown) => error,
      );
      // Errors of the same moment share it with each other's listeners.
      await new Promise((resolve) => setImmediate(resolve));
      // A sentence on what is wrong, or that there is no server.
      if (refusal) expect(refusal).toMatchObject({ name: 'AssayError' });
    }
});

test('an option that is like none is told with some of them', async () => {
  await expect(evaluate('P', { ...onServer, zzz: 1 } as never)).rejects.toThrow(
    /^evaluate has no option "zzz"\. There are "system", "scores", "trials", "limit", "sample" and \d+ more, and none is like it\.$/,
  );
});

const endless: Record<string, unknown> = {};
endless.a = endless;

test.each<[unknown, string]>([
  [() => 1, ': A function is no JSON.'],
  [[0, Symbol('s')], '/1: A symbol is no JSON.'],
  [Number.NaN, ': NaN is no JSON.'],
  [endless, '/a: A value of Object that contains itself is no JSON.'],
])('data that JSON cannot say is told with its place (%#)', async (value, fault) => {
  const given = { ...onServer, system: () => ({}) };
  await expect(evaluate('P', { ...given, config: { a: value } })).rejects.toThrow(
    `\`config\` must be data that JSON can say. /a${fault}`,
  );
  await expect(evaluate('P', { ...given, where: { '/a': value } })).rejects.toThrow(
    `\`where\` must be data that JSON can say. /~1a${fault}`,
  );
});

test('a version without a config is told', async () => {
  const given = { ...onServer, system: () => ({}), versionName: 'v1' };
  await expect(evaluate('P', given)).rejects.toThrow(
    '`versionName` names the version of `config`: give that, too.',
  );
});

test('evaluate without a system says what it is to be', async () => {
  await expect(evaluate('P', onServer as never)).rejects.toThrow(
    /^`system` must be a function that gets the inputs .*, such as /,
  );
});

test('evaluate without a name or options says what it takes', async () => {
  for (const [project, options] of [[undefined, onServer], ['P'], ['P', 'T']])
    await expect(evaluate(project as never, options as never)).rejects.toThrow(
      /^evaluate takes the name of a project, and an object of options/,
    );
});
