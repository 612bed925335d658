import { poll } from '@assay/testing/poll';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { sendTrace } from './spans.ts';

/** A picture of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const answer = '# Weather\n\nIt is **sunny** in 東京.\n\n| city | °C |\n|---|---|\n| 東京 | 21 |';

describeInBrowser('a payload that a model wrote', (stage) => {
  let project: string;
  let run: string;
  beforeAll(async () => {
    const { call } = stage.assay;
    project = (await call('POST', '/projects', { name: 'Reading', description: '' })).body.id;
    run = (await call('POST', `/projects/${project}/runs`, { metricIds: [] })).body.id;
  });

  async function newRecord(outputs: unknown) {
    const body = { inputs: {}, expected: {}, outputs };
    const record = await stage.assay.call('POST', `/runs/${run}/records`, body);
    expect(record.status, record.text).toBe(201);
    return { id: record.body.id, path: `/projects/${project}/records/${record.body.id}` };
  }

  const outputsOf = (page: Page) => page.getByRole('region', { name: 'Outputs', exact: true });

  test('has its Markdown drawn, and is shown as written by a switch that the browser keeps', async () => {
    const { path } = await newRecord({ answer });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(path);
    const outputs = outputsOf(page);
    await outputs.getByRole('cell', { name: '東京' }).waitFor();
    await expect
      .poll(() => outputs.locator('strong').allTextContents())
      .toEqual(['Weather', 'sunny']);
    expect(await problemsOf(page)).toEqual([]);
    await outputs.getByRole('button', { name: 'Show Outputs as written' }).click();
    await outputs.getByText('It is **sunny** in').waitFor();
    await visit.open(path);
    await outputs.getByText('It is **sunny** in').waitFor();
    await outputs.getByRole('button', { name: 'Show Outputs as written' }).click();
    await outputs.getByRole('table').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('is annotated in the characters that were written, and then shown as written', async () => {
    const { id, path } = await newRecord({ answer });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(path);
    const outputs = outputsOf(page);
    await outputs.locator('strong').nth(1).waitFor();
    await page.evaluate(`document.getSelection().selectAllChildren(
      [...document.querySelectorAll('[data-payload] strong')].at(-1))`);
    await page.getByRole('button', { name: 'Annotate' }).click();
    await page.getByText('“sunny”, 5 characters').waitFor();
    await page.getByLabel('Comment').last().fill('It rained');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => outputs.locator('mark').allTextContents()).toEqual(['sunny']);
    await outputs.getByText('It is **').waitFor();
    const { data } = (await stage.assay.call('GET', `/records/${id}/annotations`)).body;
    expect(data[0].passage).toMatchObject({
      pointer: '/answer',
      start: 19,
      end: 24,
      text: 'sunny',
    });
    expect(visit.complaints).toEqual([]);
  });

  test('shows parts of messages as texts and pictures, and each call with its result under it', async () => {
    const { id, path } = await newRecord({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Is it like this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
            { type: 'image_url', image_url: { url: 'https://evil.example/pixel.png' } },
            { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2Zy8+' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'one',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"東京"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'one', content: '{"degrees":[20,21,22]}' },
      ],
    });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(path);
    const outputs = outputsOf(page);
    await outputs.getByText('Is it like this?').waitFor();
    await outputs.getByRole('img', { name: 'PNG in the payload' }).waitFor();
    const picture = "document.querySelector('[data-payload] img')";
    await expect.poll(() => page.evaluate(`${picture}.naturalWidth`)).toBe(1);
    expect(await page.evaluate(`${picture}.src`)).toMatch(/^blob:/);
    await expect.poll(() => outputs.getByRole('img').count()).toBe(1);
    await outputs.getByRole('link', { name: '(evil.example)' }).waitFor();
    await outputs.getByText('data:image/svg+xml;base64,PHN2Zy8+').waitFor();
    const call = outputs.getByText('get_weather(city="東京")');
    await call.waitFor();
    expect(await outputs.getByText('"degrees": [20, 21, 22]').isVisible()).toBe(false);
    await call.click();
    await outputs.getByText('"degrees": [20, 21, 22]').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    const annotation = await stage.assay.call('POST', `/records/${id}/annotations`, {
      comment: 'Too cold',
      passage: {
        payload: 'outputs',
        pointer: '/messages/2/content',
        start: 12,
        end: 14,
        text: '20',
      },
    });
    await visit.open(`${path}?annotation=${annotation.body.id}`);
    await expect.poll(() => outputs.locator('mark[data-chosen]').allTextContents()).toEqual(['20']);
    await outputs.locator('mark[data-chosen]').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('has its Markdown drawn in a trace and in a comparison, too', async () => {
    const { call } = stage.assay;
    const traceId = await sendTrace(call, project, [
      {
        id: 'a',
        name: 'turn',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.output.messages': JSON.stringify([
            { role: 'assistant', parts: [{ type: 'text', content: answer }] },
          ]),
        },
      },
    ]);
    const make = async (path: string, body: object) => {
      const reply = await call('POST', path, body);
      expect(reply.status, reply.text).toBeLessThan(300);
      return reply.body;
    };
    const metric = await make(`/projects/${project}/metrics`, {
      name: 'Same',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match' },
    });
    const testset = await make(`/projects/${project}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: {}, answer: {} } },
      fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
    });
    const { items } = await make(`/testsets/${testset.id}/testcases`, {
      items: [{ jsonData: { question: 'Weather?', answer: 'sunny' } }],
    });
    const runs: string[] = [];
    for (const text of ['sunny', answer]) {
      const { id } = await make(`/projects/${project}/runs`, {
        testsetId: testset.id,
        metricIds: [metric.id],
      });
      await make(`/runs/${id}/records`, {
        testcaseId: items[0].id,
        inputs: { question: 'Weather?' },
        expected: { answer: 'sunny' },
        outputs: { text },
      });
      await poll(
        'the run is scored',
        async () => (await call('GET', `/runs/${id}`)).body.status === 'completed',
      );
      runs.push(id);
    }
    const [baseline, candidate] = runs;
    await using visit = await stage.visit();
    for (const path of [
      `/projects/${project}/traces/${traceId}`,
      `/projects/${project}/compare?baseline=${baseline}&candidate=${candidate}&show=regressed`,
    ]) {
      await visit.open(path);
      await visit.page.getByRole('cell', { name: '東京' }).waitFor();
    }
    expect(visit.complaints).toEqual([]);
  });

  test('stays text where its Markdown is hostile', async () => {
    const { path } = await newRecord({
      deep: `**a**\n\n${'> '.repeat(20_000)}end of the quotes`,
      slow: `${'_a_'.repeat(20_000)} **b** end of the marks`,
      turned: '**user\u202Egnp.exe** <img src=x onerror="alert(1)">',
    });
    await using visit = await stage.visit();
    await visit.open(path);
    const outputs = outputsOf(visit.page);
    await outputs.getByText('end of the quotes').waitFor();
    await outputs.getByText('end of the marks').waitFor();
    await expect
      .poll(() => outputs.locator('strong').allTextContents())
      .toContain('user⟨U+202E⟩gnp.exe');
    await outputs.getByText('<img src=x onerror="alert(1)">').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
