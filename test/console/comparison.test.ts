import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

describeInBrowser('a comparison', (stage) => {
  let content: Content;
  let path: string;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
    const { projectId, baselineRunId, candidateRunId } = content;
    path = `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}`;
  });

  test('says the verdict in a sentence, and what it could have found', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    await visitor.page.getByText(/^Undecided: .* is \+25\.0 points/).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('counts every group, and a group leads to its testcases, by the URL too', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    const groups = visitor.page.getByRole('navigation', { name: 'Groups of testcases' });
    await groups.waitFor();
    expect(await groups.getByRole('link').allTextContents()).toEqual([
      'Regressed 0',
      'Improved 1',
      'Changed 1',
      'Both fail 0',
      'Both pass 3',
      'Only baseline 0',
      'Only candidate 0',
    ]);
    const pairs = visitor.page.getByRole('article');
    await pairs.first().waitFor();
    expect(await pairs.count()).toBe(1);
    await groups.getByRole('link', { name: 'Both pass' }).click();
    await expect.poll(() => pairs.count()).toBe(3);
    await visitor.page.reload();
    await expect.poll(() => pairs.count()).toBe(3);
    await groups.getByRole('link', { name: 'Regressed' }).click();
    await visitor.page.getByText('No testcase: regressed').waitFor();
    await visitor.page.goBack();
    await expect.poll(() => pairs.count()).toBe(3);
  });

  test('shows both answers with what differs, by words, lines and JSON', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    const pair = visitor.page.getByRole('article').first();
    await pair.getByText('improved').waitFor();
    expect(await pair.locator('del').allTextContents()).toEqual(['Bergen']);
    expect(await pair.locator('ins').allTextContents()).toEqual(['Oslo']);
    await visitor.page.getByLabel('Difference by').selectOption('json');
    await pair.getByText('/answer').waitFor();
    expect(await visitor.page.getByText('atlas 2').first().isVisible()).toBe(false);
    await visitor.page.getByText(/^What changed: /).click();
    await visitor.page.getByText('atlas 2').first().waitFor();
  });

  test('is walked, and its testcases tagged, by the keyboard alone', async () => {
    await using visitor = await stage.visit();
    await visitor.open(`${path}&show=bothPass`);
    const pairs = visitor.page.getByRole('article');
    await expect.poll(() => pairs.count()).toBe(3);
    for (const _ of [1, 2]) await visitor.page.keyboard.press('n');
    const current = visitor.page.locator('article[aria-current=true]');
    await expect
      .poll(
        async () => (await current.count()) && (await pairs.nth(1).getAttribute('aria-current')),
      )
      .toBe('true');
    await visitor.page.keyboard.press('t');
    await current.getByText('tagged “discuss”').waitFor();
    await expect
      .poll(async () => {
        const { call } = stage.assay;
        const tagged = await call('GET', `/runs/${content.candidateRunId}/records?tags=discuss`);
        return tagged.body.data.length;
      })
      .toBe(1);
  });

  test('goes into a pull request as Markdown, and into a pipeline as a command', async () => {
    await using visitor = await stage.visit();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open(path);
    await visitor.page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(() => visitor.page.evaluate('navigator.clipboard.readText()'))
      .toContain('| Metric | Verdict | Baseline |');
    await visitor.page.getByRole('button', { name: 'Gate command' }).click();
    await visitor.page
      .getByText(`--baseline ${content.baselineRunId} --candidate ${content.candidateRunId}`)
      .waitFor();
  });
});
