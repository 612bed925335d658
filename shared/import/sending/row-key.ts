import { sha256 } from './sha256.ts';

/** The key of a row that has none of its own, made of a text of its content. */
export const rowKey = (content: string): string => `row:${sha256(content).slice(0, 32)}`;
