import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeInBrowser, type Visitor } from './browser.ts';
import { makeOpeningContent, type OpeningContent } from './openings/content.ts';
import { dialogs } from './openings/dialogs.ts';
import { menus } from './openings/menus.ts';
import { type Opening, openByKeys } from './openings/opening.ts';

const sources = fileURLToPath(new URL('../../console/src', import.meta.url));

/** What dialogs and menus are made of. */
const parts = {
  dialogs: ['parts/form-dialog.tsx', 'parts/change-dialog.tsx'],
  menus: ['parts/menu.tsx', 'parts/thing-menu.tsx'],
};

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.tsx'),
);
const having = (pattern: RegExp) =>
  files.filter((file) => pattern.test(readFileSync(join(sources, file), 'utf8'))).toSorted();
const listed = (openings: { file: string }[], parts: string[]) =>
  [...new Set([...openings.map(({ file }) => file), ...parts])].toSorted();

test('every dialog of the console is in the list, and only one file makes one', () => {
  expect(having(/<dialog\b/)).toEqual(['parts/dialog.tsx']);
  const made = having(/<(?:Form|Change)?Dialog\b/);
  expect(made).toEqual(listed(dialogs, parts.dialogs));
});

test('every menu, panel and list of choices is in the list', () => {
  const made = having(
    /<(?:Popover|Menu|MoreMenu|ThingMenu|NameChoice|Suggestions)\b(?! aria-hidden)/,
  );
  expect(made).toEqual(listed(menus, parts.menus));
});

describeInBrowser('every dialog', (stage) => {
  let content: OpeningContent;
  let shared: Visitor;
  /** The path of the shared window's page, if that is as it was loaded. */
  let loaded: string | undefined;
  beforeAll(async () => {
    content = await makeOpeningContent(stage.assay.call);
    shared = await stage.visit();
  });
  afterAll(() => shared?.[Symbol.asyncDispose]());

  /** The page of a dialog with nothing over it. */
  async function openPage(visitor: Visitor, path: string): Promise<void> {
    const isThere = visitor === shared && loaded === path && visitor.page.url().endsWith(path);
    loaded = undefined;
    if (isThere) return;
    await visitor.open(path);
    await visitor.quiet();
  }

  async function openAndClose(visitor: Visitor, opening: Opening): Promise<void> {
    const { page } = visitor;
    const path = opening.path(content);
    await openPage(visitor, path);
    await opening.before?.(page);
    const opener = await openByKeys(page, opening);
    const dialog = page.getByRole('dialog', { name: opening.title });
    await dialog.waitFor();
    await expect.poll(() => page.evaluate(focusInDialog)).toBe('the first');
    if (opening.close) {
      await page.keyboard.press('Escape');
      await opening.close(dialog, stage.assay.key);
    } else if (await typeInto(dialog)) {
      await page.keyboard.press('Escape');
      const question = page.getByRole('alertdialog', { name: 'Discard what you typed?' });
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Discard' }).click();
    } else await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    if (opener) await opener.and(page.locator(':focus')).waitFor();
    // The browser names the refusal after which a person signs in again.
    expect(visitor.complaints.splice(0).filter((text) => !text.includes('401'))).toEqual([]);
    if (visitor === shared && !changesPage(opening)) loaded = path;
  }

  describe.each(dialogs.map((opening) => [`${opening.file}: ${opening.title}`, opening] as const))(
    '%s',
    (_name, opening) => {
      test('opens on its first field, asks before it loses what was typed, and gives the focus back', async () => {
        if (!opening.endsVisit) return openAndClose(shared, opening);
        await using visitor = await stage.visit();
        return await openAndClose(visitor, opening);
      });
    },
  );

  test('a key that was made is shown until it is said to be stored, whatever is pressed', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog', { name: 'New API key' }).waitFor();
    await page.keyboard.type('twice');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const stored = page.getByRole('dialog', { name: 'Store the key now' });
    await stored.getByText(/^ak_/).first().waitFor();
    await page.keyboard.press('Escape');
    expect(await stored.getByRole('button', { name: 'Close' }).count()).toBe(0);
    await stored.getByText(/^ak_/).first().waitFor();
    await stored.getByRole('button', { name: 'I have stored it' }).click();
    await stored.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /twice/ }).waitFor();
    const keys = (await stage.assay.call('GET', '/api-keys')).body.data;
    expect(keys.filter(({ name }: { name: string }) => name === 'twice')).toHaveLength(1);
  });
});

const changesPage = ({ before, after, close }: Opening): boolean =>
  before !== undefined || after !== undefined || close !== undefined;

/** Whether the focus is where a person begins: the first field, else a button but for ✕. */
const focusInDialog = `(() => {
  const { activeElement } = document;
  const dialog = [...document.querySelectorAll('dialog:modal')].at(-1);
  const fields = [...dialog.querySelectorAll('input:not([type=hidden]), select, textarea')];
  const first =
    dialog.querySelector('[data-focus-first]') ??
    fields.find((field) => field.checkVisibility() && !field.matches(':disabled'));
  const isRight = first
    ? activeElement === first
    : activeElement.matches('dialog button:not([aria-label=Close])');
  return isRight ? 'the first' : activeElement.outerHTML;
})()`;

/** Types into the focused field, if it is one whose text would be lost. */
async function typeInto(dialog: Locator): Promise<boolean> {
  const field = dialog.locator(
    ':is(input:is([type=text], [type=email], [type=number], :not([type])), textarea):focus',
  );
  if ((await field.count()) === 0) return false;
  await dialog.page().keyboard.type('1');
  return true;
}
