import { execFileSync } from 'node:child_process';

export type Git = ReturnType<typeof createGit>;

/** The questions and changes of git that a release needs, in the working tree at `root`. */
export function createGit(root: string) {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trimEnd();
  const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);
  return {
    /** The paths of files that are changed or new. */
    changes: () => linesOf(git('status', '--porcelain')).map((line) => line.slice(3)),
    tags: () => linesOf(git('tag', '--list')),
    head: () => git('rev-parse', 'HEAD'),
    /** Commits the changes of all files that git knows, and returns the commit. */
    commit: (message: string) => {
      git('commit', '--quiet', '--all', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    tag: (name: string, message: string) => git('tag', '--annotate', '--message', message, name),
  };
}
