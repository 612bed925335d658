import { expect, test } from 'vitest';
import { pipelineBranch } from '../src/environment.ts';

test('the branch of a pipeline that checks out a commit is the one that the pipeline names', () => {
  const pullRequest = { GITHUB_HEAD_REF: 'prompt-14', GITHUB_REF_NAME: '7/merge' };
  expect(pipelineBranch(pullRequest)).toBe('prompt-14');
  expect(pipelineBranch({ GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'main' })).toBe('main');
  expect(pipelineBranch({ CI_COMMIT_REF_NAME: 'prompt-15' })).toBe('prompt-15');
  expect(pipelineBranch({})).toBeUndefined();
});
