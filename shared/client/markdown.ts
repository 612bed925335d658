import { printable } from './printable.ts';

/**
 * A text that Markdown shows as it is, in a cell of a table too: every sign that could mean
 * something is a reference. Nobody is called by an `@`, since a space without width follows it.
 */
export const markdownText = (text: string): string =>
  printable(text.replaceAll(/\s+/g, ' ').trim())
    .replaceAll(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll('&#64;', '&#64;\u200b')
    // GitHub makes links of bare addresses, also after references were read.
    .replaceAll(/\b(https?|ftp|www)(?=&#(58|46);)/gi, '$1\u200b');

/** A text as code, which a page shows letter by letter. */
export const markdownCode = (text: string): string => `<code>${markdownText(text)}</code>`;
