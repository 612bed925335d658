import type { Locator, Page } from 'playwright-core';
import type { OpeningContent } from './content.ts';

/** How something is opened that lies over a page: a dialog, a menu, or a list of choices. */
export interface Opening {
  /** The file that has it, below `console/src`. */
  file: string;
  /** The title of the dialog, or the name of the menu's button. */
  title: string | RegExp;
  /** The page on which it opens. */
  path: (content: OpeningContent) => string;
  /** Comes before the opener is there, such as the selection of a row. */
  before?: (page: Page) => Promise<unknown>;
  /** The buttons that are pressed, the last of which opens it; before them is that of its menu. */
  buttons?: (string | RegExp)[];
  /** The field that opens it by the arrow down. */
  field?: string;
  /** The key that opens it. */
  key?: string;
  /** Follows the buttons, such as the form of the step before. */
  after?: (page: Page) => Promise<unknown>;
  /** A request waits until it is closed, so that the page is never quiet. */
  holdsRequest?: true;
  /** What it does to the window is not undone by another page. */
  endsVisit?: true;
  /** Closes it, where Escape does not. */
  close?: (dialog: Locator, key: string) => Promise<unknown>;
}

export const inProject =
  (path: string) =>
  ({ projectId }: OpeningContent): string =>
    `/projects/${projectId}${path}`;
export const ofRun = ({ projectId, candidateRunId }: OpeningContent) =>
  `/projects/${projectId}/runs/${candidateRunId}`;
export const ofTestset = ({ projectId, testsetId }: OpeningContent) =>
  `/projects/${projectId}/testsets/${testsetId}`;
export const ofChangedTestset =
  (query: string) =>
  ({ projectId, changedTestsetId }: OpeningContent) =>
    `/projects/${projectId}/testsets/${changedTestsetId}${query}`;
export const ofTrace = ({ projectId, traceId }: OpeningContent) =>
  `/projects/${projectId}/traces/${traceId}`;
export const ofComparison =
  (query: string) =>
  ({ projectId, baselineRunId, candidateRunId }: OpeningContent) =>
    `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}${query}`;

export const selectFirstRow = (page: Page) =>
  page.getByRole('checkbox', { name: 'Select' }).first().check();

/** Opens it by the keyboard; returns the element that has the focus after its end. */
export async function openByKeys(
  page: Page,
  { before, buttons = [], field, key, after }: Opening,
): Promise<Locator | undefined> {
  if (key) await page.keyboard.press(key);
  const found = buttons.map((name) =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).first(),
  );
  for (const button of found) {
    await button.focus();
    await page.keyboard.press('Enter');
  }
  if (field) {
    // The page behind a dialog may have a field of the same name.
    await page.getByRole('combobox', { name: field, exact: true }).last().focus();
    await page.keyboard.press('ArrowDown');
  }
  await after?.(page);
  // What was chosen in a list is where one goes on.
  return before === selectFirstRow ? page.locator('[role=row][aria-selected=true]') : found[0];
}
