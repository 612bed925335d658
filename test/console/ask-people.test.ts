import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { uploadRecords } from '../system/records.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { makeContent } from './pages.ts';

let judges: MockProviders;

/** A judge that lets long answers pass. */
async function startJudges() {
  judges = await startMockProviders(({ body }) =>
    say({ reasoning: 'By its length.', binaryScore: JSON.stringify(body).includes('at length') }),
  );
  return judges.config();
}

describeInBrowser(
  'asking people about a judged comparison',
  (stage) => {
    let projectId: string;
    let path: string;

    const call = async (...request: Parameters<typeof stage.assay.call>) => {
      const reply = await stage.assay.call(...request);
      expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
      return reply.body;
    };

    beforeAll(async () => {
      const content = await makeContent(stage.assay.call);
      projectId = content.projectId;
      const judge = await call('POST', `/projects/${projectId}/metrics`, {
        name: 'Convincing',
        evalType: 'ai',
        outputType: 'boolean',
        evalModelName: 'openai/gpt-4o',
        guidelines: 'Does it convince you?',
        promptTemplate: 'Does {{ outputs.answer }} convince?',
      });
      const testcases = (await call('GET', `/testsets/${content.testsetId}/testcases`)).data;
      const runIds: string[] = [];
      for (const answer of ['Briefly.', 'Said at length.']) {
        const run = await call('POST', `/projects/${projectId}/runs`, {
          name: answer,
          testsetId: content.testsetId,
          metricIds: [judge.id],
        });
        const records = Array.from(testcases as { id: string }[], ({ id }, index) => ({
          testcaseId: id,
          inputs: {},
          expected: {},
          outputs: { answer: `${answer} ${index}` },
        }));
        await uploadRecords(stage.assay.call, run.id, records);
        await poll(
          'the run is judged',
          async () => (await call('GET', `/runs/${run.id}`)).status === 'completed',
        );
        runIds.push(run.id);
      }
      path = `/projects/${projectId}/compare?baseline=${runIds[0]}&candidate=${runIds[1]}`;
    });
    afterAll(() => judges?.stop());

    test('draws testcases of both runs, says what labels would give, and leads to a review of these alone', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(path);
      await page.getByRole('button', { name: /Ask people.*Convincing/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/Nobody was asked about these 4 testcases yet/).waitFor();
      await dialog.getByText('Convincing (people): new, with the same guidelines').waitFor({
        state: 'attached',
      });
      expect(await problemsOf(page)).toEqual([]);
      await dialog.getByLabel('Testcases').fill('2');
      await dialog.getByRole('button', { name: 'Draw and ask' }).click();
      await dialog.getByText(/^2 testcases drawn in all/).waitFor();
      expect(page.url()).toContain('people=');
      await dialog.getByRole('link', { name: 'Start reviewing mine' }).click();
      await page.getByText('Does it convince you?').waitFor();
      const shown = page.getByRole('region', { name: 'Outputs', exact: true });
      const seen: (string | null)[] = [];
      while (seen.length < 4) {
        const read = () => shown.textContent({ timeout: 1000 }).catch(() => null);
        await expect.poll(async () => [null, ...seen].includes(await read())).toBe(false);
        seen.push(await read());
        await page.keyboard.press('2');
        await page.keyboard.press('Enter');
      }
      await page.getByText('Nothing is left for you here').waitFor();
      await visitor.open(path);
      await page.getByRole('button', { name: /Ask people.*Convincing/ }).click();
      await dialog.getByText('2 testcases of 4 drawn so far, 2 scored by people').waitFor();
      expect(visitor.complaints).toEqual([]);
    });

    test('is offered at the metrics of judges alone', async () => {
      await using visitor = await stage.visit();
      await visitor.open(path);
      await visitor.page.getByRole('heading', { name: 'Convincing', exact: true }).waitFor();
      const buttons = visitor.page.getByRole('button', { name: /Ask people/ });
      await buttons.first().waitFor();
      await expect.poll(() => buttons.count()).toBe(1);
    });
  },
  { options: async () => ({ scoring: await startJudges() }) },
);
