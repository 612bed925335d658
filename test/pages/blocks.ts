import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../imports.ts';

/** A fenced block of a page. */
export interface Block {
  page: string;
  /** Where its fence opens, from 1. */
  line: number;
  /** The word after the fence: `bash`, `text`, `json`. Empty where there is none. */
  kind: string;
  text: string;
  /** The paragraph before the block; empty where the block follows another block directly. */
  lead: string;
}

export const pageNames: string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

export const blocksOf = (page: string): Block[] => blocksIn(page, readPage(page));

/** The fenced blocks of a text, in their order. */
export function blocksIn(page: string, source: string): Block[] {
  const fence = /^( *)```([\w-]*)\n([\s\S]*?)^\1```$/gm;
  const blocks: Block[] = [];
  let end = 0;
  for (const match of source.matchAll(fence)) {
    const [whole, indent, kind, text] = match as unknown as [string, string, string, string];
    const before = source.slice(end, match.index);
    blocks.push({
      page,
      line: source.slice(0, match.index).split('\n').length,
      kind,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      lead: before
        .trim()
        .split(/\n\s*\n/)
        .at(-1)!,
    });
    end = match.index + whole.length;
  }
  return blocks;
}

export const placeOf = ({ page, line }: Block): string => `${page}:${line}`;

/**
 * The file as which a reader saves the block, whose paragraph ends with "as `answer.mjs`:", or to
 * which it is added, "at the end of `assay.yaml`:".
 */
export const fileOf = ({ lead }: Block): string | undefined =>
  /\b(?:as|at the end of)\s+`([\w./-]+)`:$/.exec(lead)?.[1];
export const isAdded = ({ lead }: Block): boolean => /\bat the end of\s+`[^`]+`:$/.test(lead);
