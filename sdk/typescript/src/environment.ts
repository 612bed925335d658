import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProxyVariable } from '@assay/runtime/http/proxied-fetch';

const run = promisify(execFile);

/** A variable of the environment; undefined where it is not set, or empty. */
export const variable = (
  name: 'ASSAY_URL' | 'ASSAY_API_KEY' | 'ASSAY_RESUME' | 'ASSAY_RUN_OPTIONS' | 'CI' | ProxyVariable,
) => process.env[name] || undefined;

/** The commit and branch of the folder in which the script runs; none outside of a checkout. */
export async function gitLabels(): Promise<Record<string, string>> {
  const [commit, checkedOut] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('symbolic-ref', '--short', '-q', 'HEAD'),
  ]);
  const branch = checkedOut ?? pipelineBranch(process.env);
  return {
    ...(commit ? { commit } : {}),
    ...(branch ? { branch: branch.slice(0, 256) } : {}),
  };
}

/**
 * The branch as a pipeline of GitHub or GitLab names it: both check out a commit, which is on no
 * branch.
 */
export const pipelineBranch = (environment: Record<string, string | undefined>) =>
  environment.GITHUB_HEAD_REF || environment.GITHUB_REF_NAME || environment.CI_COMMIT_REF_NAME;

async function git(...words: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', words, { timeout: 5_000 });
    return stdout.trim() || undefined;
  } catch {
    // Without git, or outside of a checkout, there are no labels.
    return undefined;
  }
}

/** The environment of a script that this process starts: its own, with more in it. */
export const environmentWith = (
  more: Record<string, string>,
): Record<string, string | undefined> => ({
  ...process.env,
  ...more,
});

/** This script's command line, for a shell. */
export const commandLine = (): string =>
  ['node', ...process.execArgv, ...process.argv.slice(1)].map(shellWord).join(' ');

const shellWord = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
