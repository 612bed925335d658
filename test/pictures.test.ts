import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sections } from '../console/src/parts/frame/sections.ts';
import { labelsFile, type PageLabels, readConsole } from '../scripts/pictures/labels.ts';
import { root } from './imports.ts';

const drawn: Record<string, PageLabels> = JSON.parse(readFileSync(labelsFile, 'utf8'));
const remedy = 'draw the pictures again: npm run console:screenshots -- documents';

test('every picture of the console was drawn with its labels', () => {
  const pictures = readdirSync(join(root, 'docs/pictures'))
    .filter((name) => name.endsWith('.jpg'))
    .map((name) => name.replace('.jpg', ''));
  expect(Object.keys(drawn).toSorted()).toEqual(pictures.toSorted());
});

test.each(Object.entries(drawn))(
  'the picture "%s" has the menu and the labels of the console',
  (_name, { navigation, labels }) => {
    expect(navigation, remedy).toEqual(sections.map(({ text }) => text));
    const isOfConsole = readConsole();
    expect(labels.length).toBeGreaterThan(3);
    expect(
      labels.filter((label) => !isOfConsole(label)),
      remedy,
    ).toEqual([]);
  },
);

test('a label that the console no longer has is found, and so are words of the code', () => {
  const isOfConsole = readConsole();
  expect(['Compare', 'Rescore', 'Traces'].filter(isOfConsole)).toHaveLength(3);
  expect(['Compare everything', 'Every field right', 'projectId'].filter(isOfConsole)).toEqual([]);
});
