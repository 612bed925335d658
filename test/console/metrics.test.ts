import { poll } from '@assay/testing/poll';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser, textsOf, type Visitor } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

let judges: MockProviders;

/** A judge that lets everything pass, until it is told to be strict: then Bergen fails. */
async function startJudges() {
  judges = await startMockProviders(({ body }) => {
    const prompt = JSON.stringify(body);
    const isWrong = prompt.includes('Be strict') && prompt.includes('Bergen');
    return say({ reasoning: isWrong ? 'It is **not**.' : 'It is.', binaryScore: !isWrong });
  });
  return judges.config();
}

describeInBrowser(
  'metrics',
  (stage) => {
    let content: Content;
    let judgeId: string;
    let runId: string;
    /** The path of the metrics, and that of the judge. */
    const path = () => `/projects/${content.projectId}/metrics`;
    const judgePath = () => `${path()}/${judgeId}`;

    beforeAll(async () => {
      const { call } = stage.assay;
      content = await makeContent(call);
      const { projectId } = content;
      judgeId = (
        await call('POST', `/projects/${projectId}/metrics`, {
          name: 'Right capital',
          evalType: 'ai',
          outputType: 'boolean',
          evalModelName: 'openai/gpt-4o',
          promptTemplate: 'Is {{ outputs.answer }} the capital of {{ inputs.country }}?',
        })
      ).body.id;
      const run = (
        await call('POST', `/projects/${projectId}/runs`, { name: 'Judged', metricIds: [judgeId] })
      ).body;
      runId = run.id;
      for (const [country, answer] of [
        ['France', 'Paris'],
        ['Norway', 'Bergen'],
      ])
        await call('POST', `/runs/${runId}/records`, {
          inputs: { country },
          expected: {},
          outputs: { answer },
        });
      await poll(
        'the run is judged',
        async () => (await call('GET', `/runs/${runId}`)).body.status === 'completed',
      );
    });
    afterAll(() => judges?.stop());

    test('are listed with who scores and what comes out, and g m leads there', async () => {
      await using visitor = await stage.visit();
      await visitor.open(`/projects/${content.projectId}`);
      await visitor.page.keyboard.press('g');
      await visitor.page.keyboard.press('m');
      const row = visitor.page.getByRole('row', { name: /Right capital/ });
      await row.waitFor();
      await expect.poll(() => row.textContent()).toMatch(/AI judge.*openai\/gpt-4o.*Pass or fail/);
      await row.getByRole('link', { name: 'Right capital' }).click();
      await visitor.page.getByRole('heading', { level: 1, name: 'Right capital' }).waitFor();
      expect(visitor.complaints).toEqual([]);
    });

    test('a fault of the template stands at its line; mended, it is tried, previewed, and saved as a version', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await openEditor(visitor, judgePath());
      await page.keyboard.press('Control+End');
      await page.keyboard.type('\nBe strict with {{ output.answer }}.');
      const problems = page.getByRole('list', { name: 'Problems of Prompt template' });
      await problems.getByText('unknown variable').waitFor();
      await expect
        .poll(() => page.locator('.cm-lintRange-error').textContent())
        .toBe('output.answer');
      await expect
        .poll(() => page.getByRole('button', { name: /^Preview/ }).isDisabled())
        .toBe(true);
      await problems.getByRole('button', { name: 'Line 2, column 19' }).click();
      await page.keyboard.press('Control+Delete');
      await page.keyboard.type('outputs');
      await page.getByText('Be strict with', { exact: false }).nth(1).waitFor();
      await expect.poll(() => page.locator('mark').allTextContents()).toContain('Paris');
      expect(await problems.getByRole('listitem').count()).toBe(0);

      await page.getByRole('button', { name: 'Record after' }).click();
      await expect.poll(() => page.locator('mark').allTextContents()).toContain('Bergen');
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('It cost $', { exact: false }).waitFor();
      await page.locator('strong', { hasText: 'not' }).waitFor();

      await page.getByRole('button', { name: 'Preview on 50' }).click();
      await page.getByText('Of 2 records, 1 record would pass or fail otherwise').waitFor();
      const flips = page.getByRole('region', { name: 'Passed, would fail' });
      await expect
        .poll(() => flips.getByRole('listitem').allTextContents())
        .toEqual([expect.stringContaining('Norway')]);
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Save as version 2' }).click();
      await page.getByText('Saved as version 2.').waitFor();

      await page.getByRole('link', { name: 'Versions' }).click();
      await page.getByRole('button', { name: 'Version 2 (current)' }).waitFor();
      await page.getByText('Changed: prompt template').waitFor();
      expect((await textsOf(page.locator('ins'))).join('')).toContain('Be strict with');
      expect(await problemsOf(page)).toEqual([]);
      expect(visitor.complaints).toEqual([]);
    });

    test('a ready-made judge is chosen, shown where the records have what it reads, tried, and saved as their own', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(path());
      await page.getByRole('link', { name: 'Ready-made judges' }).click();
      const judges = page.getByRole('list', { name: 'Ready-made judges' });
      const card = judges.getByRole('listitem').filter({
        has: page.getByRole('heading', { name: 'Answers the question' }),
      });
      await card.getByText('Examples').click();
      await card.getByText('Nothing responds to the piercing.').waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await card.getByRole('link', { name: /Answers the question/ }).click();

      const places = page.getByRole('group', { name: 'What the prompt reads' });
      const question = places.getByLabel('question');
      const missing = places.getByText('The record beside does not have this.');
      // The only input and the only output of the records.
      await expect.poll(() => question.inputValue()).toBe('inputs.country');
      await expect.poll(() => places.getByLabel('answer').inputValue()).toBe('outputs.answer');
      await question.fill('inputs.nothing');
      await expect.poll(() => missing.count()).toBe(1);
      await question.fill('inputs.country');
      await expect.poll(() => missing.count()).toBe(0);
      await expect
        .poll(() => page.getByRole('textbox', { name: 'Prompt template' }).textContent())
        .toContain('{% set question = inputs.country -%}');
      await expect.poll(() => page.locator('mark').allTextContents()).toContain('Paris');
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('It cost $', { exact: false }).waitFor();
      expect(await problemsOf(page)).toEqual([]);

      await page.getByLabel('Name', { exact: true }).fill('Says a city');
      await page.getByRole('button', { name: /^Create/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Says a city' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1);
      const { body } = await stage.assay.call('GET', `/metrics/${id}`);
      const adopted = await stage.assay.call(
        'POST',
        `/projects/${content.projectId}/metrics/adopt`,
        {
          template: 'answer_relevance',
          name: 'Says a city',
          fields: { question: '/inputs/country', answer: '/outputs/answer' },
        },
      );
      expect({ ...body, votes: 1, seed: null, id: '' }).toEqual({
        ...adopted.body,
        votes: 1,
        seed: null,
        id: '',
      });
      expect(visitor.complaints).toEqual([]);
    });

    test('a ready-made judge reads the fields of the project, and is tried on a testcase with a typed answer', async () => {
      const { call } = stage.assay;
      const project = (await call('POST', '/projects', { name: 'No run yet', description: '' }))
        .body;
      const testset = (
        await call('POST', `/projects/${project.id}/testsets`, {
          name: 'Lines',
          description: '',
          jsonSchema: { type: 'object', properties: { line: {}, answer: {} } },
          fieldMapping: { inputs: ['line'], expected: ['answer'], metadata: [] },
        })
      ).body;
      await call('POST', `/testsets/${testset.id}/testcases`, {
        items: [{ jsonData: { line: '2 cups of flour', answer: 'flour' } }],
      });
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(`/projects/${project.id}/metrics/new?template=correctness`);
      const places = page.getByRole('group', { name: 'What the prompt reads' });
      await expect.poll(() => places.getByLabel('reference').inputValue()).toBe('expected.answer');
      await places.getByLabel('question').fill('inputs.line');
      await page.getByLabel('An answer to try').fill('It is flour.');
      await expect
        .poll(() => page.locator('mark').allTextContents())
        .toEqual(expect.arrayContaining(['2 cups of flour', 'flour', 'It is flour.']));
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('It cost $', { exact: false }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await places.getByLabel('reference').fill('expected.idealAnswer');
      const problems = page.getByRole('list', { name: 'Problems of Prompt template' });
      await problems.getByText('no testset of the project has such a field').waitFor();
      await places.getByLabel('reference').fill('expected.answer');
      await expect.poll(() => problems.getByRole('listitem').count()).toBe(0);
      expect(visitor.complaints).toEqual([]);
    });

    test('a rule is made from its form: what it reads is picked in the record', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(`${path()}/new?run=${content.baselineRunId}`);
      await page.getByLabel('Who scores').selectOption('builtin');
      await page.getByLabel('Evaluator').selectOption('regex_match');
      await page.getByLabel('pattern (required)').fill('(');
      await page.getByText('Not a regular expression that RE2 knows').waitFor();
      await page.getByLabel('Evaluator').selectOption('contains');
      await page.getByRole('tree', { name: 'Outputs' }).getByText('answer').click();
      await page.getByRole('button', { name: 'Use as output' }).click();
      await expect
        .poll(() => page.getByLabel('output', { exact: true }).inputValue())
        .toBe('/answer');
      await page.getByLabel('ignoreCase').check();
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('It cost nothing.').waitFor();

      const create = page.getByRole('button', { name: /^Create/ });
      await create.click();
      await page.getByText('Give it a name').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Has the capital');
      await create.click();
      await page.getByRole('heading', { level: 1, name: 'Has the capital' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1);
      const { body } = await stage.assay.call('GET', `/metrics/${id}`);
      expect(body.builtin).toEqual({
        name: 'contains',
        options: { output: '/answer', ignoreCase: true },
      });
      expect(visitor.complaints).toEqual([]);
    });

    test('of all nine shapes are made by the one form', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      const made: string[] = [];
      const shapes = ['judge', 'people', 'program'].flatMap((scorer) =>
        ['boolean', 'int', 'float'].map((outputType) => [scorer, outputType] as const),
      );
      await visitor.open(path());
      for (const [scorer, outputType] of shapes) {
        await page.getByRole('main').getByRole('link', { name: 'New metric' }).click();
        await page.getByRole('heading', { level: 1, name: 'New metric' }).waitFor();
        await page.getByLabel('Name', { exact: true }).fill(`Of ${scorer}`);
        await page.getByLabel('Who scores').selectOption(scorer);
        await page.getByLabel('Output', { exact: true }).selectOption(outputType);
        await page.getByRole('button', { name: /^Create/ }).click();
        await page.getByRole('heading', { level: 1, name: `Of ${scorer}` }).waitFor();
        const id = new URL(page.url()).pathname.split('/').at(-1);
        const { body } = await stage.assay.call('GET', `/metrics/${id}`);
        made.push(`${body.evalType} ${body.outputType} ${body.passingThreshold ?? ''}`.trim());
        await page.getByRole('link', { name: 'Metrics', exact: true }).first().click();
      }
      expect(made).toEqual([
        ...['ai boolean', 'ai int 4', 'ai float 0.9'],
        ...['human boolean', 'human int 4', 'human float 0.9'],
        ...['heuristic boolean', 'heuristic int 4', 'heuristic float 0.9'],
      ]);
      expect(visitor.complaints).toEqual([]);
    });

    test('a draft outlasts a reload, until it is discarded', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await openEditor(visitor, judgePath());
      await page.keyboard.type('Draft. ');
      await page.getByText('Not saved yet').waitFor();
      await page.reload();
      const editor = page.getByRole('textbox', { name: 'Prompt template' });
      await expect.poll(() => editor.textContent()).toContain('Draft. Is');
      await page.getByRole('button', { name: 'Discard' }).click();
      await expect.poll(() => editor.textContent()).not.toContain('Draft.');
      await page.reload();
      await expect.poll(() => editor.textContent()).toMatch(/^Is/);
    });

    test('the editor is left by Escape and Tab, and keeps what is typed from the shortcuts', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await openEditor(visitor, judgePath());
      await page.getByText(/Press Esc, then/).waitFor();
      await page.keyboard.type('gm?');
      await page.keyboard.press('Tab');
      expect(await isInEditor(page)).toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      expect(await isInEditor(page)).toBe(false);
      await expect
        .poll(() => page.getByRole('textbox', { name: 'Prompt template' }).textContent())
        .toContain('gm?');
      await page.getByRole('button', { name: 'Discard' }).click();
      expect(visitor.complaints).toEqual([]);
    });

    test('the fields of the record are offered where the template names them', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await openEditor(visitor, judgePath());
      await page.getByRole('link', { name: /France/ }).waitFor();
      await page.keyboard.type('{{ inputs.');
      await page.getByRole('option', { name: 'country' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
    });

    test('its reliability says how sure the agreement is and on which side it errs, and leads to the disagreements', async () => {
      const { call } = stage.assay;
      const records = (await call('GET', `/runs/${runId}/records`)).body.data;
      const version = (await call('GET', `/runs/${runId}`)).body.metricVersionIds[0];
      for (const { id, outputs } of records)
        await call('PUT', `/records/${id}/scores/${version}`, {
          score: { binaryScore: outputs.answer === 'Paris' },
        });
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(`${judgePath()}?tab=reliability`);
      await page.getByText(/0 is chance, 1 is perfect. However high, never compare/).waitFor();
      await page
        .getByRole('region', { name: 'Errors by run' })
        .getByRole('cell', { name: /\d\s?% \(.* to .*\), of \d/ })
        .first()
        .waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('link', { name: '1: it says pass, people say fail' }).click();
      const shown = page.getByRole('region', { name: 'Disagreements' }).getByRole('listitem');
      await expect.poll(() => shown.allTextContents()).toEqual([expect.stringContaining('Norway')]);
      expect(page.url()).toContain('cell=');
      await shown.getByRole('link', { name: /Norway/ }).click();
      await page.waitForURL('**/records/*');
      expect(visitor.complaints).toEqual([]);
    });
  },
  { options: async () => ({ scoring: await startJudges() }) },
);

/** Opens a metric, and puts the cursor at the beginning of its editor. */
async function openEditor({ page, open }: Visitor, path: string): Promise<void> {
  await open(path);
  await page.getByRole('textbox', { name: 'Prompt template' }).click();
  await page.keyboard.press('Control+Home');
}

const isInEditor = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.activeElement?.shadowRoot?.activeElement != null')) as boolean;
