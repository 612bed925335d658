import { openDatabase } from '@assay/runtime/mongo/database';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser, type Visitor } from './browser.ts';
import { newReview } from './reviewed-run.ts';
import { signInLink } from './sign-in-link.ts';

describeInBrowser('a review', (stage) => {
  let bob: { userId: string; email: string };
  beforeAll(async () => {
    bob = await call('POST', '/members', { email: 'bob@example.com', name: 'Bob' });
  });

  const call = async (...request: Parameters<typeof stage.assay.call>) => {
    const reply = await stage.assay.call(...request);
    expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
    return reply.body;
  };

  const answer = (page: Page, index: number) =>
    page.getByRole('region', { name: 'Outputs', exact: true }).getByText(`Answer ${index}.`);
  const isOver = (page: Page) => page.getByText('Nothing is left for you here');
  /** The end shows before the last save is answered: only then does the API tell of it. */
  const allSaved = async (page: Page): Promise<void> => {
    await isOver(page).waitFor();
    await page.getByText('Saving …').waitFor({ state: 'detached' });
  };
  const reasonOf = (page: Page) => page.getByRole('textbox', { name: /^Reason/ });
  const choice = (page: Page, name: string) => page.getByRole('button', { name, exact: false });

  /** The tab is left, or looked at again. */
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);

  /** Ends the leases of records, as ten minutes do. */
  async function endLeases(recordIds: string[]): Promise<void> {
    const { MONGODB_URI, DATABASE_PREFIX } = stage.assay.config;
    const database = await openDatabase({
      uri: MONGODB_URI,
      name: `${DATABASE_PREFIX}_run-records`,
    });
    const past = new Date(Date.now() - 1000);
    const ended = { 'leases.$[].until': past, firstEndsAt: past, expiresAt: past };
    await database
      .collection<{ _id: string }>('review_leases')
      .updateMany({ _id: { $in: recordIds } }, { $set: ended });
    await database.close();
  }

  /** The browser names a refusal, and that a lease is another's is one. */
  const isUnexpected = (complaint: string): boolean => !complaint.includes('status of 409');

  /** Bob at his own machine. */
  async function visitAsBob(): Promise<Visitor> {
    const visitor = await stage.visit({ key: null });
    await visitor.open(await signInLink(stage.assay, bob.userId));
    await visitor.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    return visitor;
  }

  test('of twenty records needs no more than the keyboard, and says what was done', async () => {
    const { path, run, scoresOf } = await newReview(stage.assay.call, { records: 20 });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    for (let index = 0; index < 20; index += 1) {
      await answer(page, index).waitFor();
      await page.keyboard.press(index % 2 === 0 ? '1' : '2');
      if (index === 7) {
        await page.keyboard.press('r');
        await page.keyboard.type('Says 1 thing twice; see t, u and s');
        await page.keyboard.press('Control+Enter');
      } else await page.keyboard.press('Enter');
    }
    await isOver(page).waitFor();
    await page.getByText(/^You saved 20 records, \d+ s each\.$/).waitFor();
    await page.getByText('20 of 20 yours, 0 left in all').waitFor();
    await expect.poll(async () => (await call('GET', `/runs/${run.id}`)).status).toBe('completed');
    expect((await scoresOf(7))[0].score).toEqual({
      value: false,
      reasoning: 'Says 1 thing twice; see t, u and s',
    });
    expect((await scoresOf(8))[0].score).toEqual({ value: true });
    expect(visitor.complaints).toEqual([]);
  });

  test('counts each save once, also where the server counts it before its answer comes', async () => {
    const { path } = await newReview(stage.assay.call, { records: 10 });
    await using visitor = await stage.visit();
    const { page } = visitor;
    let isLast = false;
    let isStored = false;
    let reads = 0;
    await page.route('**/scores/*', async (route) => {
      if (!isLast) return route.continue();
      const response = await route.fetch();
      isStored = true;
      await isOver(page).waitFor();
      await expect.poll(() => reads).toBe(0);
      await route.fulfill({ response });
    });
    await page.route('**/review-queue/progress*', async (route) => {
      reads += 1;
      if (isLast) await expect.poll(() => isStored).toBe(true);
      const response = await route.fetch();
      await route.fulfill({ response });
      reads -= 1;
    });
    await visitor.open(path);
    for (let index = 0; index < 10; index += 1) {
      await answer(page, index).waitFor();
      await page.keyboard.press('1');
      isLast = index === 9;
      await page.keyboard.press('Enter');
    }
    await page.getByText('10 of 10 yours, 0 left in all').waitFor();
    await expect.poll(() => page.getByText('Saving …').count()).toBe(0);
    await page.getByText('10 of 10 yours, 0 left in all').waitFor();
  });

  test('by two at once never gives both the same record', async () => {
    const { path, run } = await newReview(stage.assay.call, { records: 14 });
    await using ada = await stage.visit();
    await using visitor = await visitAsBob();
    const review = async ({ open, page }: Visitor): Promise<string[]> => {
      await open(path);
      const seen: string[] = [];
      const shown = page.getByText(/^Answer \d+\.$/);
      for (;;) {
        await shown.or(isOver(page)).first().waitFor();
        if (await isOver(page).isVisible()) {
          await allSaved(page);
          return seen;
        }
        const text = await shown.textContent({ timeout: 1000 }).catch(() => null);
        if (text === null || seen.includes(text)) continue;
        seen.push(text);
        await page.keyboard.press('1');
        await page.keyboard.press('Enter');
      }
    };
    const [first, second] = await Promise.all([review(ada), review(visitor)]);
    expect(first.filter((text) => second.includes(text))).toEqual([]);
    expect(first.length + second.length).toBe(14);
    expect(Math.min(first.length, second.length)).toBeGreaterThan(0);
    const { given, byMember } = await call('GET', `/review-queue/progress?runId=${run.id}`);
    expect(given).toBe(14);
    expect(byMember.find(({ userId }: { userId: string }) => userId === bob.userId).given).toBe(
      second.length,
    );
  });

  test('takes a save back: the record is there again, and its score is gone', async () => {
    const { path, scoresOf } = await newReview(stage.assay.call);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    await answer(page, 0).waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('r');
    await page.keyboard.type('Clear');
    await page.keyboard.press('Control+Enter');
    await answer(page, 1).waitFor();
    await expect.poll(async () => (await scoresOf(0)).length).toBe(1);
    await page.keyboard.press('u');
    await answer(page, 0).waitFor();
    await expect.poll(async () => (await scoresOf(0)).length).toBe(0);
    await expect.poll(() => choice(page, 'pass').getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => reasonOf(page).inputValue()).toBe('Clear');
    await page.keyboard.press('2');
    await page.keyboard.press('Enter');
    await answer(page, 1).waitFor();
    await expect
      .poll(async () => (await scoresOf(0))[0]?.score)
      .toEqual({ value: false, reasoning: 'Clear' });
    expect(visitor.complaints).toEqual([]);
  });

  test('hides what the judge said until the own score is saved', async () => {
    const { path } = await newReview(stage.assay.call, {
      metrics: [
        {},
        {
          name: 'Same words',
          evalType: 'heuristic',
          guidelines: '',
          builtin: { name: 'exact_match', options: { output: '/answer', expected: '/ideal' } },
        },
      ],
    });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    await answer(page, 0).waitFor();
    expect(await page.getByText('Same words').count()).toBe(0);
    expect(await page.getByText('Ideal 0').count()).toBe(0);
    await page.keyboard.press('e');
    await page.getByText('Ideal 0').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await answer(page, 1).waitFor();
    await page.getByRole('button', { name: 'Show the judge' }).click();
    await page.getByRole('heading', { name: /^Same words/ }).waitFor();
  });

  test('gives a record back with its draft when it could not be saved', async () => {
    const { path, scoresOf } = await newReview(stage.assay.call);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await page.route('**/scores/*', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'The disk is full.' } }),
    );
    await visitor.open(path);
    await answer(page, 0).waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('r');
    await page.keyboard.type('Too short');
    await page.keyboard.press('Control+Enter');
    await page.getByText('A record could not be saved: The disk is full.').waitFor();
    await answer(page, 1).waitFor();
    await page.keyboard.press('ArrowRight');
    await answer(page, 0).waitFor();
    await page.getByText('Your scores of this record could not be saved.').waitFor();
    await expect.poll(() => reasonOf(page).inputValue()).toBe('Too short');
    await page.reload();
    await answer(page, 0).waitFor();
    await expect.poll(() => reasonOf(page).inputValue()).toBe('Too short');
    await expect.poll(() => choice(page, 'fail').getAttribute('aria-pressed')).toBe('true');
    await page.unroute('**/scores/*');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await scoresOf(0))[0]?.score)
      .toEqual({ value: false, reasoning: 'Too short' });
    await expect
      .poll(() => page.evaluate('JSON.stringify(localStorage)'))
      .not.toContain('Too short');
  });

  test('of records that are assigned to a member is listed in the overview, each a link to its record', async () => {
    const { recordIds, runPath } = await newReview(stage.assay.call);
    await call('POST', `/records/${recordIds[1]}/assignees`, { assigneeUserId: bob.userId });
    await using visitor = await visitAsBob();
    const { page } = visitor;
    await visitor.open(runPath.replace(/\/runs\/.*/, ''));
    const assigned = page.getByRole('region', { name: 'Assigned', exact: true });
    await assigned.getByText('Helpful').waitFor();
    await expect.poll(() => assigned.getByRole('listitem').count()).toBe(1);
    expect(await problemsOf(page)).toEqual([]);
    await assigned.getByRole('link', { name: 'Question 1?' }).click();
    await page.waitForURL(`**/records/${recordIds[1]}`);
    await page.getByRole('button', { name: 'Annotations' }).click();
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Annotations');
    expect(visitor.complaints).toEqual([]);
  });

  test('says who took the record, and keeps the draft', async () => {
    const { path, recordIds, scoresOf } = await newReview(stage.assay.call);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    await answer(page, 0).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Half a thought');
    await call('POST', `/records/${recordIds[0]}/assignees`, { assigneeUserId: bob.userId });
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByText('Bob took this one.').waitFor();
    await expect.poll(() => reasonOf(page).inputValue()).toBe('Half a thought');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toContain('Half a thought');
    await page.getByRole('button', { name: 'Continue' }).first().click();
    await answer(page, 1).waitFor();
    await page.keyboard.press('ArrowLeft');
    await answer(page, 1).waitFor();
    expect(await scoresOf(0)).toEqual([]);
  });

  test('whose lease has run out goes to the next reviewer: the first is told, and keeps the draft', async () => {
    const { path, recordIds, scoresOf } = await newReview(stage.assay.call, { records: 8 });
    await using ada = await stage.visit();
    const { page } = ada;
    await ada.open(path);
    await answer(page, 0).waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('r');
    await page.keyboard.type('Half a thought');
    await setHidden(page, true);
    await endLeases(recordIds);

    await using bobs = await visitAsBob();
    await bobs.open(path);
    await answer(bobs.page, 0).waitFor();
    await setHidden(page, false);
    await page.getByText('Bob took this one.').waitFor();
    await expect.poll(() => reasonOf(page).inputValue()).toBe('Half a thought');

    // The key that saves leads on: nothing of hers replaces his.
    await reasonOf(page).press('Control+Enter');
    // Which one comes depends on how many of those that follow Bob has taken by now.
    await page.getByText(/^Answer [1-7]\.$/).waitFor();
    await bobs.page.keyboard.press('1');
    await bobs.page.keyboard.press('Enter');
    await expect.poll(async () => (await scoresOf(0)).length).toBe(1);
    expect(await page.evaluate('JSON.stringify(localStorage)')).toContain('Half a thought');
    const given = await scoresOf(0);
    expect(
      given.map(({ userId, score }: { userId: string; score: object }) => [userId, score]),
    ).toEqual([[bob.userId, { value: true }]]);
    expect([...ada.complaints, ...bobs.complaints].filter(isUnexpected)).toEqual([]);
  });

  test('leads to a value that cannot be, and saves all metrics once it is mended', async () => {
    const { path, scoresOf } = await newReview(stage.assay.call, {
      metrics: [
        { name: 'Tone', outputType: 'int' },
        { name: 'Complete', outputType: 'float' },
      ],
    });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    await answer(page, 0).waitFor();
    await page.keyboard.press('4');
    await page.keyboard.press('Tab');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.getByText('Must be a number from 0 to 1.').waitFor();
    const number = page.getByRole('textbox', { name: 'Complete, a number from 0 to 1' });
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('7');
    await number.fill('0.7');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('5');
    await page.keyboard.press('Enter');
    await answer(page, 1).waitFor();
    await expect
      .poll(async () =>
        (await scoresOf(0)).map(({ score }: { score: { value: number } }) => score.value).sort(),
      )
      .toEqual([0.7, 5]);
    expect(visitor.complaints).toEqual([]);
  });

  test('goes on and back without saving, puts off, tags, and finds', async () => {
    const { path, recordIds } = await newReview(stage.assay.call);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    await answer(page, 0).waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('ArrowRight');
    await answer(page, 1).waitFor();
    await page.keyboard.press('ArrowLeft');
    await answer(page, 0).waitFor();
    await expect.poll(() => choice(page, 'fail').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('s');
    await answer(page, 1).waitFor();
    await page.getByLabel('1 and 2 save at once').check();
    await page.getByRole('group', { name: 'Helpful' }).focus();
    await page.keyboard.press('1');
    await answer(page, 2).waitFor();
    await page.keyboard.press('1');
    await answer(page, 0).waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('Answer 0');
    await page.getByText('1 of 1').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Helpful' }).focus();
    await page.keyboard.press('t');
    await page.keyboard.type('discuss');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await call('GET', `/records/${recordIds[0]}/tags`)).data.length)
      .toBe(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByText('Undo the last save, ten deep').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Review', level: 1 }).waitFor();
    await page.waitForURL(/\/review\?run=/);
    expect(visitor.complaints).toEqual([]);
  });

  test('is set up for some records by chance, or for those that are selected', async () => {
    const { reviewPath, runPath, recordIds } = await newReview(stage.assay.call, { records: 6 });
    const assigned = async (userId: string) => {
      const all = await Promise.all(
        recordIds.map(async (id) => (await call('GET', `/records/${id}/assignees`)).data),
      );
      return all.filter((own) =>
        own.some(({ assigneeUserId }: { assigneeUserId: string }) => assigneeUserId === userId),
      ).length;
    };
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(reviewPath);
    await page.getByText('6 for you').waitFor();
    await page.getByRole('button', { name: 'Set up a review' }).click();
    await page.getByLabel('Bob').check();
    await page.getByLabel('Records').selectOption('count');
    await page.getByLabel('Number').fill('4');
    await page.getByRole('button', { name: 'Start the review' }).click();
    await page.getByText('4 records assigned to 2 members.').waitFor();
    expect(await assigned(bob.userId)).toBe(2);
    await page.getByRole('link', { name: 'Start reviewing mine' }).click();
    const shown = page.getByText(/^Answer \d\.$/);
    for (const _ of [1, 2]) {
      await shown.waitFor();
      const text = await shown.textContent();
      await page.keyboard.press('1');
      await page.keyboard.press('Enter');
      await page.getByText(text!).waitFor({ state: 'detached' });
    }
    await allSaved(page);

    await visitor.open(runPath);
    for (const index of [0, 1, 2, 3, 4, 5])
      await page.getByRole('checkbox', { name: `Select Question ${index}?` }).check();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'Start a review of these' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('6 records').waitFor();
    await dialog.getByLabel('Bob').check();
    await dialog.getByLabel('admin@localhost').uncheck();
    await dialog.getByRole('button', { name: 'Start the review' }).click();
    await page.getByText('6 records assigned to 1 member.').waitFor();
    expect(await assigned(bob.userId)).toBe(6);
    expect(visitor.complaints).toEqual([]);
  });
});
