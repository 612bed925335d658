import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

/** What people have tried to smuggle into pages of others. */
const hostile = {
  markup: '<img src=x onerror="alert(1)"><script>alert(2)</script><svg onload=alert(3)>',
  link: '[a link](javascript:alert(4)) and [another](https://evil.example/?q=1)',
  image: '![pixel](https://evil.example/pixel.png) <iframe src="https://evil.example"></iframe>',
  template: '{{constructor.constructor("alert(5)")()}} ' + '$' + '{alert(6)}',
  bidi: 'user\u202Egnp.exe\u2066 and \u200Bnothing\u0000',
  long: 'x'.repeat(1024 * 1024),
  __proto__: { polluted: true },
};

/** What makes a page wider than its window: nothing, where it has no bar to scroll sideways. */
const partsBeyondTheWindow = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const isWide = (part) => part.getBoundingClientRect().right > innerWidth;
    return [...document.querySelectorAll('main *')]
      .filter((part) => isWide(part) && ![...part.children].some(isWide))
      .map((part) => part.outerHTML.slice(0, 120));
  })()`);

describeInBrowser('a hostile record', (stage) => {
  let projectId: string;
  let runId: string;
  let recordId: string;
  beforeAll(async () => {
    const { call } = stage.assay;
    projectId = (await call('POST', '/projects', { name: 'Hostile', description: '' })).body.id;
    const wide = await call('POST', `/projects/${projectId}/metrics`, {
      name: 'm'.repeat(100),
      evalType: 'human',
      outputType: 'boolean',
    });
    const metric = await call('POST', `/projects/${projectId}/metrics`, {
      name: hostile.markup,
      evalType: 'human',
      outputType: 'boolean',
      guidelines: `${hostile.markup} ${hostile.link} ${hostile.image}`,
    });
    const run = await call('POST', `/projects/${projectId}/runs`, {
      metricIds: [metric.body.id, wide.body.id],
    });
    runId = run.body.id;
    const [metricVersionId] = run.body.metricVersionIds;
    const made = await call('POST', `/runs/${runId}/records`, undefined, {
      raw: JSON.stringify({
        inputs: { ...hostile, messages: [{ role: hostile.markup, content: hostile.link }] },
        expected: hostile,
        outputs: { ...hostile, [hostile.markup]: hostile.markup },
      }),
      headers: { 'content-type': 'application/json' },
    });
    expect(made.status).toBe(201);
    recordId = made.body.id;
    const scored = await call('PUT', `/records/${recordId}/scores/${metricVersionId}`, {
      score: {
        value: false,
        reasoning: `${hostile.markup}\n\n${hostile.link}\n\n${hostile.image}\n\n${hostile.bidi}`,
      },
    });
    expect(scored.status, scored.text).toBeLessThan(300);
    await call('POST', `/records/${recordId}/tags`, { text: hostile.markup });
    await call('POST', `/records/${recordId}/tags`, { text: 't'.repeat(200) });
  });

  test('is shown as text: no script runs, nothing leaves the origin, no rule of the policy is broken, no page is wider than the window', async () => {
    await using visit = await stage.visit();
    const record = `/projects/${projectId}/records/${recordId}`;
    for (const path of [
      `/projects/${projectId}/runs/${runId}`,
      `/projects/${projectId}/runs/${runId}?tab=summary`,
      record,
      `${record}?view=json`,
      `${record}?view=raw`,
      `${record}?view=diff`,
    ]) {
      await visit.open(path);
      await visit.quiet();
      expect(visit.complaints, path).toEqual([]);
      expect(await partsBeyondTheWindow(visit.page), path).toEqual([]);
    }
    expect(await visit.page.locator('main img, main iframe, main script').count()).toBe(0);
    expect(await visit.page.evaluate('({}).polluted')).toBeUndefined();
  });

  test('shows characters that turn text around as marks', async () => {
    await using visit = await stage.visit();
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    await visit.page.getByText('⟨U+202E⟩').first().waitFor();
    expect(await visit.page.locator('main').textContent()).not.toContain('\u202E');
  });

  test('leads nowhere by itself: links have no script, name their host, and tell it nothing', async () => {
    await using visit = await stage.visit();
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    await visit.quiet();
    const links = await visit.page.locator('main a').evaluateAll((all) =>
      all.map((link) => ({
        href: link.getAttribute('href') ?? '',
        rel: link.getAttribute('rel') ?? '',
        text: link.textContent ?? '',
      })),
    );
    expect(links.filter(({ href }) => /^\s*javascript/i.test(href))).toEqual([]);
    const outside = links.filter(({ href }) => /^https?:/.test(href));
    expect(outside.length).toBeGreaterThan(0);
    for (const { rel, text } of outside) {
      expect(rel.split(' ')).toEqual(
        expect.arrayContaining(['noopener', 'noreferrer', 'nofollow']),
      );
      expect(text).toContain('evil.example');
    }
  });
});
