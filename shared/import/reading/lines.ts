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
  let pieces: string[] = [];
  let characters = 0;
  let line = 1;
  for await (const chunk of readText(file)) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      const text = pieces.join('') + chunk.slice(from, end);
      pieces = [];
      characters = 0;
      if (text.trim() !== '') yield { text, line };
      line += 1;
      from = end + 1;
    }
    pieces.push(chunk.slice(from));
    characters += chunk.length - from;
    if (characters > entryCharactersMax)
      throw new ImportFailure(
        { file: file.name, line },
        `is longer than ${entryCharactersMax / 1024 ** 2} MiB, which is too long for one line: is this a file of lines?`,
      );
  }
  const text = pieces.join('');
  if (text.trim() !== '') yield { text, line };
}
