import { sha256 } from './sha256.ts';

/** The key of a row that has none of its own, made of a text of its content. */
export const rowKey = (content: string): string => `${beginning}${sha256(content).slice(0, 32)}`;

/** Tells the key of a row that had none of its own. */
export const isRowKey = (key: string): boolean => key.startsWith(beginning);

const beginning = 'row:';
