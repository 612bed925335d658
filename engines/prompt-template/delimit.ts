import { createHash } from 'node:crypto';

/**
 * A word that no record can hold: it follows from everything that a prompt is made of, the record
 * too.
 */
export const delimiterOf = (source: string, seal: string): string =>
  `data-${createHash('sha256')
    .update(JSON.stringify([source, seal]))
    .digest('hex')
    .slice(0, 12)}`;

/** The number of characters that the two marks add to a piece of data. */
export const marksLength = '<data-0123456789ab></data-0123456789ab>'.length;

/** Data between its marks. A delimiter inside the data, in whatever case, is made another word. */
export const delimit = (data: string, delimiter: string): string =>
  `<${delimiter}>${data.replace(new RegExp(delimiter, 'gi'), 'data-removed')}</${delimiter}>`;
