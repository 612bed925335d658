import { parseDocument } from 'yaml';
import { ImportFailure } from '../failure.ts';
import type { SourceFile } from '../source.ts';
import { type Lose, parseJson } from './json-text.ts';
import { readText } from './text.ts';

const charactersMax = 16 * 1024 * 1024;

/** Reads a configuration in YAML or JSON. @throws with line and column. */
export async function readYaml(file: SourceFile, lose: Lose): Promise<unknown> {
  let text = '';
  for await (const chunk of readText(file)) {
    text += chunk;
    if (text.length > charactersMax)
      throw new ImportFailure(
        { file: file.name },
        `is larger than ${charactersMax / 1024 ** 2} MiB, which no configuration is: is this the right format?`,
      );
  }
  if (/^\s*[{[]/.test(text)) return parseJson(text, { file: file.name, line: 1 }, lose);
  const document = parseDocument(text, { prettyErrors: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error) {
    const [start] = error.linePos ?? [];
    throw new ImportFailure(
      { file: file.name, line: start?.line, column: start?.col },
      'is not YAML: mend this line, or export the file again.',
      error,
    );
  }
  try {
    // Aliases that multiply stop here.
    return document.toJS({ maxAliasCount: 1000 });
  } catch (cause) {
    throw new ImportFailure({ file: file.name }, 'repeats itself too often by aliases.', cause);
  }
}
