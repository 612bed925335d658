/**
 * Text that a spreadsheet would run, also after blanks and characters that it drops, or that it would
 * take for the next cell or line; with any apostrophes of its own before that.
 */
const wouldRun = /^'*(?:[\s\0\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/;

/**
 * Puts an apostrophe before text that a spreadsheet would run. Text that begins with apostrophes of
 * its own gets one more, so that {@link unescapeFormula} gives every text back.
 */
export const escapeFormula = (text: string): string => (wouldRun.test(text) ? `'${text}` : text);

/** Takes away the apostrophe that `escapeFormula` put there. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && wouldRun.test(text) ? text.slice(1) : text;

/** What may stand between the cells of a table, in the order in which a tie is settled. */
export const delimiters = ['\t', ',', ';', '|'] as const;

/** The delimiter that a table names in a first line of its own, as `sep=;`; undefined for any other line. */
export const namedDelimiter = (line: string): string | undefined => /^sep=(.)$/.exec(line)?.[1];

/** The delimiter by which a header line has the most cells; a comma where it has one by each. */
export function delimiterOfHeader(header: string): string {
  const best = delimiters.reduce((one, other) =>
    cellsBy(other, header) > cellsBy(one, header) ? other : one,
  );
  return cellsBy(best, header) > 1 ? best : ',';
}

/** How many cells a line has by a delimiter; one between quotes is text. */
function cellsBy(delimiter: string, line: string): number {
  let cells = 1;
  let isQuoted = false;
  let isStart = true;
  for (const character of line) {
    if (character === '"' && (isQuoted || isStart)) isQuoted = !isQuoted;
    const ends = !isQuoted && character === delimiter;
    if (ends) cells += 1;
    isStart = ends;
  }
  return cells;
}
