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
