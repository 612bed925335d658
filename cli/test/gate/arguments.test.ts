import { describe, expect, test } from 'vitest';
import { runGate } from './command.ts';

const runs = ['--baseline', 'a', '--candidate', 'b'];
const key = { ASSAY_API_KEY: 'ak_1' };

describe('arguments', () => {
  test.each<[string, string[], Record<string, string>, string]>([
    [
      'without a candidate',
      ['--baseline', 'a'],
      key,
      "required option '--candidate <run>' not specified",
    ],
    ['without a key', runs, {}, 'there is no API key: set ASSAY_API_KEY, or give --key.'],
    [
      'with a key that no header can hold',
      [...runs, '--key', 'ak_\nx'],
      {},
      'the API key is empty, or has characters that no key has.',
    ],
    [
      'with a password in the address',
      runs,
      { ...key, ASSAY_URL: 'http://a:b@assay' },
      'the URL must have no user, query or fragment.',
    ],
    [
      'with a level that is none',
      [...runs, '--level', '1'],
      key,
      "option '--level <level>' argument '1' is invalid",
    ],
    [
      'with a format that there is not',
      [...runs, '--format', 'html'],
      key,
      'Allowed choices are table, json, junit, markdown.',
    ],
    [
      'with a pass rate over 100 %',
      [...runs, '--min-pass-rate', '90'],
      key,
      'argument \'90\' is invalid. It must be a share from 0 to 1 such as 0.9, or a percentage such as "90%".',
    ],
    [
      'with the page of a job outside of GitHub',
      [...runs, '--github'],
      key,
      '--github is for a job of GitHub Actions, which sets GITHUB_STEP_SUMMARY;',
    ],
    [
      'of a plan without a difference',
      ['--plan', '--metric', 'a'],
      key,
      "required option '--difference <size>' not specified",
    ],
    [
      'of a plan without a metric',
      ['--plan', '--difference', '0.1'],
      key,
      "required option '--metric <name>' not specified",
    ],
    [
      'of a plan for two metrics',
      ['--plan', '--difference', '0.1', '--metric', 'a', '--metric', 'b'],
      key,
      'a plan is for one metric.',
    ],
    [
      'of a plan for a report of tests',
      ['--plan', '--difference', '0.1', '--metric', 'a', '--format', 'junit'],
      key,
      'a plan has the formats table and json.',
    ],
    [
      'of a plan with a difference of nothing',
      ['--plan', '--difference', '0', '--metric', 'a'],
      key,
      "option '--difference <size>' argument '0' is invalid",
    ],
  ])('%s end with 2, and two lines', async (_what, args, environment, sentence) => {
    const { exitCode, stdout, stderr } = await runGate(args, environment);
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(sentence),
      '(Add --help for the options and examples.)',
      '',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).not.toContain('ak_');
  });

  test('with an empty name, as of a variable that is not set, end with 2 and one sentence', async () => {
    const { exitCode, stderr } = await runGate(['--baseline', '', '--candidate', 'b'], key);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        "--baseline is empty: is the variable set that it comes from? Give an id, a name, branch:NAME, latest:NAME, production, or baseline (the testset's own).\n",
    });
  });

  test('take a regression of any size, since a scale may go to 100', async () => {
    const args = ['--baseline', '', '--candidate', 'b', '--max-regression', '5'];
    expect((await runGate(args, key)).stderr).toMatch(/^--baseline is empty: /);
  });

  test('that ask for help end with 0, and are told the rules', async () => {
    const { exitCode, stdout } = await runGate(['--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Exit codes:');
    expect(stdout).toContain('ASSAY_API_KEY');
  });
});
