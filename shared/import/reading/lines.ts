import { ImportFailure } from '../failure.ts';
import type { SourceFile } from '../source.ts';
import { entryCharactersMax } from './limits.ts';
import { readText } from './text.ts';

export interface Line {
  text: string;
  /** Counted from 1. */
  line: number;
}

/** The lines of a file that are not blank, without their ends. */
export async function* readLines(file: SourceFile): AsyncGenerator<Line> {
  const splitter = createLineSplitter({ name: file.name });
  for await (const chunk of readText(file)) yield* splitter.push(chunk);
  yield* splitter.end();
}

/**
 * Cuts a text, which comes piece by piece, into its lines, without those that are blank.
 * @throws ImportFailure for a line that is too long.
 */
export function createLineSplitter({
  name,
  charactersMax = entryCharactersMax,
}: {
  /** Of the file, for faults. */
  name: string;
  charactersMax?: number;
}) {
  let pieces: string[] = [];
  let characters = 0;
  let line = 1;

  function keep(text: string): void {
    pieces.push(text);
    characters += text.length;
    if (characters > charactersMax)
      throw new ImportFailure(
        { file: name, line },
        `is longer than ${charactersMax / 1024 ** 2} MiB, which is too long for one line: is this a file of lines?`,
      );
  }

  return {
    *push(chunk: string): Generator<Line> {
      let from = 0;
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
        keep(chunk.slice(from, end));
        const text = pieces.join('');
        pieces = [];
        characters = 0;
        if (text.trim() !== '') yield { text, line };
        line += 1;
        from = end + 1;
      }
      keep(chunk.slice(from));
    },
    *end(): Generator<Line> {
      const text = pieces.join('');
      if (text.trim() !== '') yield { text, line };
    },
  };
}
