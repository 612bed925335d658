import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

const sources = fileURLToPath(new URL('../../console/src', import.meta.url));

interface Opening {
  /** The file that has the dialog, below `console/src`. */
  file: string;
  title: string | RegExp;
  /** The page on which it opens. */
  path: (content: Content) => string;
  /** Comes before the opener is there, such as the selection of a row. */
  before?: (page: Page) => Promise<void>;
  /** The buttons that are pressed, the last of which opens it; before them is that of its menu. */
  buttons?: (string | RegExp)[];
  /** The key that opens it. */
  key?: string;
}

const inProject =
  (path: string) =>
  ({ projectId }: Content): string =>
    `/projects/${projectId}${path}`;
const ofRun = ({ projectId, candidateRunId }: Content) =>
  `/projects/${projectId}/runs/${candidateRunId}`;
const ofTestset = ({ projectId, testsetId }: Content) =>
  `/projects/${projectId}/testsets/${testsetId}`;
const ofTrace = ({ projectId, traceId }: Content) => `/projects/${projectId}/traces/${traceId}`;

const selectFirstRow = (page: Page) =>
  page.getByRole('checkbox', { name: 'Select' }).first().check();

const openings: Opening[] = [
  { file: 'parts/frame/palette.tsx', title: 'Go to', path: () => '/projects', key: 'Control+k' },
  {
    file: 'parts/frame/shortcut-help.tsx',
    title: 'Shortcuts of this page',
    path: inProject('/runs'),
    buttons: [/^Account/, 'Shortcuts ?'],
  },
  {
    file: 'pages/projects/projects.tsx',
    title: 'New project',
    path: () => '/projects',
    buttons: ['New project'],
  },
  {
    file: 'pages/settings/invite.tsx',
    title: 'Invite a person',
    path: () => '/settings/members',
    buttons: ['Invite'],
  },
  {
    file: 'pages/settings/change-member.tsx',
    title: /@/,
    path: () => '/settings/members',
    buttons: ['Change'],
  },
  {
    file: 'pages/settings/change-member.tsx',
    title: /^A sign-in link for/,
    path: () => '/settings/members',
    buttons: ['Make a sign-in link'],
  },
  {
    file: 'pages/settings/open-invitations.tsx',
    title: /^Another link for/,
    path: () => '/settings/members',
    buttons: ['Make another link'],
  },
  {
    file: 'pages/settings/open-invitations.tsx',
    title: /^Withdraw the invitation/,
    path: () => '/settings/members',
    buttons: ['Withdraw'],
  },
  {
    file: 'pages/settings/new-key.tsx',
    title: 'New API key',
    path: () => '/settings/keys',
    buttons: ['New key'],
  },
  {
    file: 'pages/settings/keys.tsx',
    title: /^Revoke/,
    path: () => '/settings/keys',
    buttons: ['Revoke'],
  },
  {
    file: 'parts/retention.tsx',
    title: /./,
    path: inProject('/runs'),
    buttons: ['Retention'],
  },
  {
    file: 'parts/delete-selected.tsx',
    title: /^Delete/,
    path: inProject('/runs'),
    before: selectFirstRow,
    buttons: [/^Actions/, 'Delete'],
  },
  {
    file: 'pages/run/add-metrics.tsx',
    title: 'Add metrics',
    path: ofRun,
    buttons: ['More', 'Add metrics …'],
  },
  {
    file: 'pages/run/rescore-dialog.tsx',
    title: 'Rescore the run',
    path: ofRun,
    buttons: ['More', 'Rescore …'],
  },
  {
    file: 'pages/run/plan-dialog.tsx',
    title: 'Plan a comparison',
    path: ofRun,
    buttons: ['More', 'Plan a comparison …'],
  },
  {
    file: 'pages/run/name-dialog.tsx',
    title: 'Name and labels',
    path: ofRun,
    buttons: ['More', 'Name and labels …'],
  },
  {
    file: 'pages/run/budget-dialog.tsx',
    title: 'Budget of the run',
    path: ofRun,
    buttons: ['More', 'Budget …'],
  },
  {
    file: 'pages/review/set-up.tsx',
    title: 'Set up a review',
    path: ofRun,
    buttons: ['Review'],
  },
  {
    file: 'pages/run/selected-records.tsx',
    title: /^Tag/,
    path: ofRun,
    before: selectFirstRow,
    buttons: [/^Actions/, 'Tag'],
  },
  {
    file: 'pages/run/selected-records.tsx',
    title: /^Assign/,
    path: ofRun,
    before: selectFirstRow,
    buttons: [/^Actions/, 'Assign'],
  },
  {
    file: 'parts/thing-menu.tsx',
    title: 'Rename the testset',
    path: ofTestset,
    buttons: ['More', 'Rename …'],
  },
  {
    file: 'parts/thing-menu.tsx',
    title: /^Delete “/,
    path: ofTestset,
    buttons: ['More', 'Delete the testset …'],
  },
  {
    file: 'pages/trace/add-to-testset.tsx',
    title: 'Add to a testset',
    path: ofTrace,
    buttons: ['Add to a testset'],
  },
  {
    file: 'pages/trace/score-trace.tsx',
    title: 'Score the trace',
    path: ofTrace,
    buttons: ['Score'],
  },
  {
    file: 'parts/views/save-view-dialog.tsx',
    title: 'Save this view',
    path: inProject('/runs'),
    buttons: ['Views', 'Save this view …'],
  },
  { file: 'pages/trace/trace.tsx', title: /^Delete/, path: ofTrace, buttons: ['Delete'] },
  {
    file: 'pages/monitors/new-monitor.tsx',
    title: 'New monitor',
    path: inProject('/monitors'),
    buttons: ['New monitor'],
  },
  {
    file: 'pages/monitors/edit-monitor.tsx',
    title: /./,
    path: inProject('/monitors'),
    buttons: ['Answers of meridian'],
  },
  {
    file: 'pages/systems/systems.tsx',
    title: /./,
    path: inProject('/systems'),
    buttons: [/^New system/],
  },
  {
    file: 'pages/testsets/testsets.tsx',
    title: 'New testset',
    path: inProject('/testsets'),
    buttons: ['New testset'],
  },
  {
    file: 'pages/testset/new-testcase.tsx',
    title: 'New testcase',
    path: ofTestset,
    buttons: ['New testcase'],
  },
  {
    file: 'pages/testset/paste-rows.tsx',
    title: 'Paste rows',
    path: ofTestset,
    buttons: ['Paste rows'],
  },
  {
    file: 'pages/testset/delete-testcases.tsx',
    title: /^Delete/,
    path: ofTestset,
    before: selectFirstRow,
    buttons: [/^Actions/, 'Delete'],
  },
  {
    file: 'pages/compare/compare-tools.tsx',
    title: 'Gate a pipeline',
    path: ({ projectId, baselineRunId, candidateRunId }) =>
      `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}`,
    buttons: ['Gate command'],
  },
  {
    file: 'pages/record/annotate.tsx',
    title: 'Annotate a passage',
    path: ({ projectId, recordId }) => `/projects/${projectId}/records/${recordId}`,
    before: async (page) => {
      await page.getByText('Outputs').first().waitFor();
      await page.getByRole('button', { name: 'Find in Expected' }).waitFor();
    },
    key: 'a',
  },
];

/** Dialogs that no button of a page opens, and the tests that open them. */
const openedElsewhere = {
  'parts/frame/sign-in-again.tsx': 'sign-in.test.ts',
  'pages/reviewing/reviewing.tsx': 'review.test.ts',
  'pages/settings/imported-people.tsx': 'imported-people.test.ts',
  'pages/settings/once-link.tsx': 'people.test.ts',
  'pages/compare/ask-people.tsx': 'judged-comparisons.test.ts',
  'pages/import/leaving.tsx': 'imports.test.ts',
  'pages/testset/data-dialog.tsx': 'testsets.test.ts',
  'pages/testset/history/change-dialog.tsx': 'testset-history.test.ts',
  'pages/testset/history/history.tsx': 'testset-history.test.ts',
  'pages/testset/tags.tsx': 'testset-tags.test.ts',
  'pages/trace/added-testcase.tsx': 'testcases-of-traces.test.ts',
  'pages/testset/schema-check.tsx': 'testsets.test.ts',
};

/** What every dialog is made of. */
const parts = ['parts/form-dialog.tsx', 'parts/change-dialog.tsx'];

test('every dialog of the console is in the list, and only one file makes one', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  );
  const having = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(sources, file), 'utf8')));
  expect(having(/<dialog\b/)).toEqual(['parts/dialog.tsx']);
  const listed = new Set([
    ...openings.map(({ file }) => file),
    ...Object.keys(openedElsewhere),
    ...parts,
  ]);
  expect(having(/<(?:Form|Change)?Dialog\b/).toSorted()).toEqual([...listed].toSorted());
});

describeInBrowser('every dialog', (stage) => {
  let content: Content;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
  });

  describe.each(openings.map((opening) => [`${opening.file}: ${opening.title}`, opening] as const))(
    '%s',
    (_name, opening) => {
      test('opens on its first field, asks before it loses what was typed, and gives the focus back', async () => {
        await using visitor = await stage.visit();
        const { page } = visitor;
        await visitor.open(opening.path(content));
        await visitor.quiet();
        await opening.before?.(page);
        const opener = await press(page, opening);
        const dialog = page.getByRole('dialog', { name: opening.title });
        await dialog.waitFor();
        await expect.poll(() => page.evaluate(focusInDialog)).toBe('the first');
        if (await typeInto(dialog)) {
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
        expect(visitor.complaints).toEqual([]);
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

/** Opens the dialog by the keyboard; returns the element that has the focus after its end. */
async function press(
  page: Page,
  { before, buttons = [], key }: Opening,
): Promise<Locator | undefined> {
  if (key) {
    await page.keyboard.press(key);
    return undefined;
  }
  const found = buttons.map((name) =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).first(),
  );
  for (const button of found) {
    await button.focus();
    await page.keyboard.press('Enter');
  }
  // What was chosen in a list is where one goes on.
  return before === selectFirstRow ? page.locator('[role=row][aria-selected=true]') : found[0];
}

/** Whether the focus is where a person begins: the first field, else a button but for ✕. */
const focusInDialog = `(() => {
  const { activeElement } = document;
  const dialog = document.querySelector('dialog:modal');
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
