import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { preferLater } from '../../services/scoring/test/pairwise-world.ts';
import { type JudgedRuns, judgeKindly, makeJudgedRuns } from '../system/judged-runs.ts';
import { uploadRecords } from '../system/records.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

type Judge = Parameters<typeof startMockProviders>[0];

let judges: MockProviders;
/** What the judge of the installation says: each group of tests sets its own. */
let judge: Judge;

const passLongAnswers: Judge = ({ body }) =>
  say({ reasoning: 'By its length.', binaryScore: JSON.stringify(body).includes('at length') });

describeInBrowser(
  'runs that a judge compares',
  (stage) => {
    afterAll(() => judges?.stop());

    const call = async (...request: Parameters<typeof stage.assay.call>) => {
      const reply = await stage.assay.call(...request);
      expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
      return reply.body;
    };

    describe('a judge of pairs', () => {
      let content: Content;
      beforeAll(async () => {
        judge = preferLater;
        content = await makeContent(stage.assay.call);
      });

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
    });

    describe('asking people about a judged comparison', () => {
      let projectId: string;
      let path: string;

      beforeAll(async () => {
        judge = passLongAnswers;
        const content = await makeContent(stage.assay.call);
        projectId = content.projectId;
        const convincing = await call('POST', `/projects/${projectId}/metrics`, {
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
            metricIds: [convincing.id],
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
    });

    describe("a judge's verdict", () => {
      let runs: JudgedRuns;
      let path: string;
      beforeAll(async () => {
        judge = judgeKindly;
        runs = await makeJudgedRuns(stage.assay.call, { overrides: false });
        const { projectId, baselineRunId, candidateRunId } = runs;
        path = `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}`;
      });

      test('is by the judge alone until a person chooses whose scores correct it, and then says whom the judge favours', async () => {
        await using visitor = await stage.visit();
        const { page } = visitor;
        await visitor.open(path);
        const card = page.getByRole('listitem').filter({
          has: page.getByRole('heading', { name: 'Right, by a judge' }),
        });
        await card
          .getByText(/^By the judge alone\. Better: After is 5\d\.\d points higher/)
          .waitFor();
        await card.getByText('People have not scored any testcase in both runs').waitFor();
        await card.getByLabel("Corrected by people's scores of").selectOption('Right, by people');
        await card
          .getByText(
            /^Undecided: After is −\d\.\d points .*, going by people's scores of 36 testcases\.$/,
          )
          .waitFor();
        await card
          .getByText(/^The judge favours After: it puts the difference 5\d\.\d points/)
          .waitFor();
        await card.getByText(/^By the judge alone\. Better: After/).waitFor();
        await card.getByText('People chose themselves which 36 testcases to score.').waitFor();
        expect(page.url()).toContain(`people=${runs.humanMetricId}`);
        await page.reload();
        await card.getByText(/^The judge favours After/).waitFor();
        expect(await problemsOf(page)).toEqual([]);
        expect(visitor.complaints).toEqual([]);
      });
    });
  },
  {
    options: async () => {
      judges = await startMockProviders((request) => judge(request));
      return { scoring: judges.config() };
    },
  },
);
