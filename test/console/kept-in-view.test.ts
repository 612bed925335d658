import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openRun } from './browser.ts';

describeInBrowser('the filters of a list', (stage) => {
  let path: string;

  beforeAll(async () => {
    const make = async (target: string, body: unknown) => {
      const reply = await stage.assay.call('POST', target, body);
      expect(reply.status, reply.text).toBe(201);
      return reply.body;
    };
    const { id: projectId } = await make('/projects', { name: 'Kept in view', description: '' });
    const metrics = await Promise.all(
      ['Clear', 'Correct', 'Polite', 'Short'].map((name) =>
        make(`/projects/${projectId}/metrics`, {
          name,
          evalType: 'heuristic',
          outputType: 'boolean',
        }),
      ),
    );
    const metricIds = metrics.map(({ id }) => id);
    const run = await make(`/projects/${projectId}/runs`, { name: 'Long', metricIds });
    path = `/projects/${projectId}/runs/${run.id}`;
    const lines = Array.from({ length: 40 }, (_, index) => ({
      inputs: { question: `Question ${index}` },
      expected: {},
      outputs: {},
      scores: metricIds.map((metricId) => ({ metricId, score: { value: index % 2 === 0 } })),
    }));
    const { status } = await stage.assay.call('POST', `/runs/${run.id}/records/bulk`, undefined, {
      raw: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(status).toBe(200);
  });

  /** Where the head of the page and the filters are once the page is scrolled to its end. */
  const placesAtTheEnd = async (page: Page) => {
    await page.locator('[data-row]').first().waitFor();
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    expect(await page.evaluate('window.scrollY')).toBeGreaterThan(100);
    const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
    return { head: await boxOf('main > header'), filters: await boxOf('main search') };
  };

  test.each([
    [1280, 520],
    [1024, 520],
  ])('stay below the head of the page at %i by %i pixels', async (width, height) => {
    await using visit = await stage.visit({ width, height });
    await openRun(visit, path);
    const { head, filters } = await placesAtTheEnd(visit.page);
    expect(head.y).toBe(0);
    expect(filters.y).toBeCloseTo(head.height, 0);
    expect(visit.complaints).toEqual([]);
  });

  test('stay at the top of a telephone, over whose keyboard they are written, and leave one that lies on its side to the rows', async () => {
    await using visit = await stage.visit({ width: 390, height: 500 });
    await openRun(visit, path);
    expect((await placesAtTheEnd(visit.page)).filters.y).toBe(0);
    await visit.page.setViewportSize({ width: 844, height: 390 });
    const { head, filters } = await placesAtTheEnd(visit.page);
    expect(head.y + head.height).toBeLessThan(0);
    expect(filters.y).toBeLessThan(0);
    expect(visit.complaints).toEqual([]);
  });

  test.each([
    [1280, 520],
    [390, 500],
  ])('cover nothing that takes the focus, at %i by %i pixels', async (width, height) => {
    await using visit = await stage.visit({ width, height });
    const { page } = visit;
    await openRun(visit, path);
    await placesAtTheEnd(page);
    await page.locator('[data-row="12"]').focus();
    const covered: string[] = [];
    let steps = 0;
    for (; steps < 120; steps += 1) {
      await page.keyboard.press('Shift+Tab');
      if (await page.evaluate(isOutsideOfMain)) break;
      covered.push(...((await page.evaluate(coveredFocus)) as string[]));
    }
    expect(steps).toBeGreaterThan(15);
    expect(covered).toEqual([]);
  });
});

const isOutsideOfMain = `!document.querySelector('main').contains(document.activeElement)`;

/** The name of what has the focus, where what stays in view is drawn over the whole of it. */
const coveredFocus = `(() => {
  const focused = document.activeElement;
  const { top, bottom } = focused.getBoundingClientRect();
  const covers = [...document.querySelectorAll('main > header, main search')].filter(
    (cover) => !cover.contains(focused) && getComputedStyle(cover).position === 'sticky',
  );
  return covers
    .map((cover) => cover.getBoundingClientRect())
    .filter((cover) => top >= cover.top && bottom <= cover.bottom)
    .map(() => focused.getAttribute('aria-label') ?? focused.textContent);
})()`;
