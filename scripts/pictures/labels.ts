import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The labels of one page of the console. Names that the data brings are not among them. */
export interface PageLabels {
  /** The sections of the menu, in their order. */
  navigation: string[];
  /** Headings, buttons, tabs and heads of columns, sorted. */
  labels: string[];
}

const repository = join(import.meta.dirname, '..', '..');

/** The labels of the pages in docs/pictures/, as the console had them when they were drawn. */
export const labelsFile: string = join(repository, 'docs', 'pictures', 'labels.json');

const menu = 'nav[aria-label="Sections"] li a';
const labelled = 'main :is(h1, h2, h3, h4, button, summary, nav a, th, [role="columnheader"])';

/** Returns the labels of a whole page, also of what is below the picture's edge. */
export async function labelsOf(page: Page): Promise<PageLabels> {
  const navigation = await page.locator(menu).filter({ visible: true }).allTextContents();
  const texts = await page.locator(labelled).filter({ visible: true }).allTextContents();
  const isFixed = readConsole();
  return { navigation, labels: [...new Set(texts.map(inOneLine).filter(isFixed))].toSorted() };
}

/** Returns whether a text stands in the console's source as a label: in quotes or in an element. */
export function readConsole(): (text: string) => boolean {
  const folder = join(repository, 'console', 'src');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => inOneLine(readFileSync(join(folder, path), 'utf8')))
    .join('\n');
  const found = [...source.matchAll(/(?:['"`]|[>}] ?)(?=([A-Z][^'"`<>{}\n]*?) ?['"`<{])/g)];
  const labels = new Set(found.map(([, label]) => label));
  return (text) => labels.has(text);
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
