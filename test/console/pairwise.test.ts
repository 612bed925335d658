import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MockProviders,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { preferLater } from '../../services/scoring/test/pairwise-world.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

let judges: MockProviders;

/** A judge that prefers what is later in the alphabet. */
async function startJudges() {
  judges = await startMockProviders(preferLater);
  return judges.config();
}

describeInBrowser(
  'a judge of pairs',
  (stage) => {
    let content: Content;
    beforeAll(async () => {
      content = await makeContent(stage.assay.call);
    });
    afterAll(() => judges?.stop());

    test('is written in the editor of metrics, with a prompt of its own to begin with', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(`/projects/${content.projectId}/metrics/new`);
      await page.getByLabel('Name', { exact: true }).fill('More helpful');
      await page.getByLabel('What is judged').selectOption('pair');
      await page.getByText('It scores no records.', { exact: false }).waitFor();
      await page.getByLabel('Model').fill('openai/gpt-4o');
      const editor = page.getByRole('textbox', { name: 'Prompt template' });
      await expect.poll(() => editor.textContent()).toContain('{{ second.outputs }}');
      await editor.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{{ first.outputs.answer }} {{ second.outputs.answer }}');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'More helpful' }).waitFor();
    });

    test('is asked on the page that compares two runs, and says which is better and why', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      const { projectId, baselineRunId, candidateRunId } = content;
      const compared = `baseline=${baselineRunId}&candidate=${candidateRunId}`;
      await visitor.open(`/projects/${projectId}/compare?${compared}`);
      const section = page.getByRole('region', { name: "A judge's answer" });
      await section.getByText(/4 pairs, each in both orders: 8 questions, about \$/).waitFor();
      await section.getByRole('button', { name: 'Ask the judge' }).click();
      await section.getByText(/^4 of 4 pairs judged, of 4 testcases, for \$/).waitFor();
      await section
        .getByText(/^Undecided: .* won 4 testcases and lost 0 to .*; 0 were ties/)
        .waitFor();
      await section.getByText('In both orders the judge said the same of 4 of 4 pairs').waitFor();

      await section.getByLabel('Pairs with reasons').selectOption('candidate');
      const pairs = section.getByRole('list', { name: 'The later run is better' });
      await expect.poll(() => pairs.getByText('shown first:').count()).toBe(8);
      await expect.poll(() => pairs.textContent()).toContain('The better one is: second.');
      await page.reload();
      await pairs.waitFor();
      expect(visitor.complaints).toEqual([]);
      expect(await problemsOf(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await problemsOf(page)).toEqual([]);
    });

    test('ranks three runs, and says which places are not decided', async () => {
      const { call } = stage.assay;
      const { projectId, baselineRunId, candidateRunId } = content;
      const { testsetId } = (await call('GET', `/runs/${baselineRunId}`)).body;
      const body = { metricIds: [], testsetId };
      const third = (await call('POST', `/projects/${projectId}/runs`, body)).body.id;
      const records = (await call('GET', `/runs/${baselineRunId}/records`)).body.data;
      for (const { testcaseId, inputs, expected } of records)
        await call('POST', `/runs/${third}/records`, {
          testcaseId,
          inputs,
          expected,
          outputs: { answer: 'Zagreb' },
        });
      await using visitor = await stage.visit();
      const { page } = visitor;
      const compared = `baseline=${baselineRunId}&candidate=${candidateRunId}&candidate=${third}`;
      await visitor.open(`/projects/${projectId}/compare?${compared}`);
      const section = page.getByRole('region', { name: "A judge's answer" });
      await section.getByText(/12 pairs, each in both orders: 24 questions/).waitFor();
      await section.getByRole('button', { name: 'Ask the judge' }).click();
      const ranking = section.getByRole('region', { name: 'Ranking by the judge' });
      await ranking.waitFor();
      const rows = ranking.getByRole('row');
      await expect.poll(() => rows.count()).toBe(4);
      await expect.poll(() => rows.nth(1).textContent()).toContain('1–3, not decided');
      expect(visitor.complaints).toEqual([]);
      expect(await problemsOf(page)).toEqual([]);
    });
  },
  { options: async () => ({ scoring: await startJudges() }) },
);
