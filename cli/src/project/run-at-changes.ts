import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const settleMs = 300;

/** Runs this command again whenever one of the files that it reads changes, until Ctrl-C. */
export async function runAtChanges({
  words,
  files,
  say,
}: {
  /** The arguments of the command, without those of watching. */
  words: string[];
  files: () => Promise<Set<string>>;
  say: (sentence: string) => void;
}): Promise<void> {
  const changes = createChanges();
  for (;;) {
    // Before the run, so that a change while it is under way starts the next one.
    changes.watch(await files());
    await once(spawn(process.execPath, words, { stdio: 'inherit' }), 'close');
    changes.watch(await files());
    say('Waiting for a change; Ctrl-C ends.');
    const path = await changes.next();
    say(`${relative('.', path)} changed.`);
    // An editor writes several files at once.
    await pause(settleMs);
    changes.forget();
  }
}

/** Changes of files, by watchers of their folders: a file that an editor puts in place is seen, too. */
function createChanges() {
  const watchers = new Map<string, FSWatcher>();
  let watched = new Set<string>();
  let changed: string | undefined;
  let wake: () => void = () => undefined;

  /** A file of the run, or one in a folder of it that is neither hidden nor installed. */
  const isWatched = (path: string): boolean =>
    watched.has(path) ||
    (path !== dirname(path) &&
      !/^(\.|node_modules$)/.test(basename(path)) &&
      isWatched(dirname(path)));

  function watchFolder(folder: string, recursive: boolean): void {
    const name = `${folder} ${recursive}`;
    if (watchers.has(name)) return;
    try {
      const watcher = watch(folder, { recursive }, (_event, filename) => {
        const path = filename === null ? folder : join(folder, filename);
        if (changed !== undefined || !isWatched(path)) return;
        changed = path;
        wake();
      });
      watcher.on('error', () => watchers.delete(name));
      watchers.set(name, watcher);
    } catch {
      // A folder that is not there has nothing to see.
    }
  }

  return {
    watch(paths: Set<string>): void {
      // A file that is away, as in the middle of a checkout, is the run's when it comes back.
      const away = [...watched].filter((path) => !statSync(path, { throwIfNoEntry: false }));
      watched = new Set([...paths, ...away]);
      for (const path of paths)
        if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) watchFolder(path, true);
        else watchFolder(dirname(path), false);
    },
    /** The first file that changed. */
    async next(): Promise<string> {
      while (changed === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return changed;
    },
    forget(): void {
      changed = undefined;
    },
  };
}
