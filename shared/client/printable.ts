/**
 * Makes a user's text safe for a terminal: replaces the characters that would steer it by U+FFFD.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');

/** The same for text of several lines and cells, whose tabs and line breaks stay. */
export const printableLines = (text: string): string =>
  text.replaceAll(/(?![\t\r\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
