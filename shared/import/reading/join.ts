import { ImportFailure } from '../failure.ts';
import type { SourceFile } from '../source.ts';

const joinedBytesMax = 512 * 1024 * 1024;

/**
 * Refuses files that are too large to join: some formats spread a record over files or lines, whose
 * parts are held in memory.
 */
export function checkJoin(files: readonly SourceFile[]): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > joinedBytesMax)
    throw new ImportFailure(
      { file: files[0]?.name },
      `and the files that belong to it have more than ${joinedBytesMax / 1024 ** 2} MiB, which is too much to join: import one run at a time.`,
    );
}
