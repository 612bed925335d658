import { printable } from '@assay/client/printable';

/**
 * A line for people that neither a terminal nor the runner of a CI job obeys: runners take commands
 * from output, `::name::` at the beginning of a line, and `##[name]` or `##vso[name]` anywhere.
 */
export const harmlessLine = (text: string): string =>
  printable(text)
    .replaceAll(/##(?=\[|vso\[)/gi, '# #')
    .replace(/^\s*:(?=:)/, '$&\u00a0');

/** The beginning of a text on one line, for people. */
export function oneLine(text: string, charactersMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > charactersMax ? `${line.slice(0, charactersMax - 1).toWellFormed()}…` : line;
}
