import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, textsOf } from './browser.ts';
import { chat, exportOf, newTraceId, sendTrace, spanIdOf } from './spans.ts';

const markup = '<img src=x onerror="alert(1)"> user\u202Egnp.exe';

describeInBrowser('traces', (stage) => {
  const newProject = async (name: string): Promise<string> =>
    (await stage.assay.call('POST', '/projects', { name, description: '' })).body.id;
  let oldestId: string;
  let projectId: string;
  beforeAll(async () => {
    oldestId = await newProject('Oldest');
    projectId = await newProject('Support');
  });

  test('are waited for with the lines to copy, and are there when what these lines say has been sent', async () => {
    const waiting = await newProject('Waiting');
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${waiting}/traces`);
    await page.getByText('Waiting for the first span…').waitFor();
    const lines = page.locator('main pre');
    for (const name of ['Traceloop', 'OpenInference', 'Vercel AI SDK', 'Claude Agent SDK']) {
      await page.getByRole('radio', { name }).check();
      await expect.poll(() => lines.textContent()).toContain(waiting);
      await expect.poll(() => lines.textContent()).toContain(`${stage.assay.url}/otel`);
    }
    await page.getByRole('radio', { name: 'OpenTelemetry' }).check();
    const settings = new Map(
      (await lines.textContent())!.split('\n').map((line) => {
        const [, name, value] = /^export (\w+)="([^"]*)"$/.exec(line)!;
        return [name, value!];
      }),
    );
    const [header, credentials] = settings.get('OTEL_EXPORTER_OTLP_HEADERS')!.split('=');
    const [attribute, project] = settings.get('OTEL_RESOURCE_ATTRIBUTES')!.split('=');
    const reply = await fetch(settings.get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')!, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [header!]: decodeURIComponent(credentials!).replace('YOUR_API_KEY', stage.assay.key),
      },
      body: JSON.stringify(
        exportOf(newTraceId(), [{ id: 'a', name: 'the first one' }], {
          resource: { [attribute!]: project! },
        }),
      ),
    });
    expect(reply.status).toBe(200);
    await page.getByRole('link', { name: 'the first one' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('are filtered, opened, walked by keys and deleted', async () => {
    const question = { role: 'user', content: 'Where is my parcel?' };
    const traceId = await sendTrace(stage.assay.call, projectId, [
      {
        id: 'root',
        name: 'answer-question',
        to: 900,
        attributes: {
          'annotations.0.annotation.name': 'politeness',
          'annotations.0.annotation.score': 1,
          'annotations.0.annotation.label': 'polite',
        },
      },
      {
        id: 'model',
        parent: 'root',
        name: 'chat gpt-5-mini',
        from: 10,
        to: 400,
        attributes: chat([question], 'It arrives tomorrow.'),
      },
      {
        id: 'tool',
        parent: 'root',
        name: 'lookup',
        from: 410,
        to: 500,
        error: 'No such parcel.',
      },
      { id: 'below', parent: 'tool', name: 'GET /parcels', from: 420, to: 490 },
    ]);
    await sendTrace(stage.assay.call, projectId, [{ id: 'other', name: 'without errors' }]);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/traces`);
    await page.getByRole('link', { name: 'without errors' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('error:true duration>=0.5s');
    await page.keyboard.press('Enter');
    await page.getByText('Duration at least: 500 ms', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'without errors' }).waitFor({ state: 'detached' });
    const { searchParams } = new URL(page.url());
    expect([...searchParams]).toEqual([
      ['error', 'true'],
      ['minDurationMs', '500'],
    ]);
    await page.getByRole('row', { name: /answer-question.*1 error/ }).waitFor();
    await page.getByRole('gridcell', { name: 'Where is my parcel?' }).waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/traces/${traceId}`);

    await page.getByRole('treeitem', { name: /lookup.*error/ }).waitFor();
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(4);
    await page.getByText('politeness: 1.00 · polite').waitFor();
    // The root says neither what went in nor what came out.
    expect(await chosenSpan(page)).toContain('chat gpt-5-mini');
    await page.keyboard.press('k');
    await expect.poll(() => chosenSpan(page)).toContain('answer-question');
    await page.keyboard.press('j');
    const pane = page.getByRole('region', { name: 'Span', exact: true });
    await pane.getByText('It arrives tomorrow.').waitFor();
    await pane.getByText('tokens: 412 input, 67 output').waitFor();
    expect(shownSpan(page)).toBe(spanIdOf('model'));
    await pane.getByLabel('Comment on this span').fill(markup);
    await pane.getByRole('button', { name: 'Bad' }).click();
    const said = pane.getByRole('region', { name: 'Annotations' });
    await said.getByText('bad <img').waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('e');
    await pane.getByText('No such parcel.').waitFor();
    expect(await said.getByRole('listitem').count()).toBe(0);
    await page.keyboard.press('k');
    await said.getByRole('button', { name: 'Delete the annotation' }).click();
    await said.getByRole('listitem').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).focus();
    await pane.getByRole('heading', { name: 'chat gpt-5-mini' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next span with an error').waitFor();
    await page.keyboard.press('Escape');
    await pane.getByRole('link', { name: 'Input and output' }).click();
    await pane.getByRole('region', { name: 'Output', exact: true }).waitFor();
    await pane.getByRole('link', { name: 'Raw' }).click();
    await pane.getByText('"gen_ai.request.model":"gpt-5-mini"').waitFor();
    await page.reload();
    await pane.getByText('"gen_ai.request.model":"gpt-5-mini"').waitFor();

    await page.getByRole('tree', { name: 'Spans' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(1);
    await page.getByText('! 1 error below').waitFor();
    await page.keyboard.press('e');
    await expect.poll(() => chosenSpan(page)).toContain('lookup');
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.waitForURL(/layout=timeline/);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Delete the trace …' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete “/ });
    await dialog.getByText('Its 4 spans go with it.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`**/projects/${projectId}/traces`);
    await page.locator('s', { hasText: 'answer-question' }).waitFor();
    await page.getByRole('button', { name: 'Delete now' }).click();
    await page.getByRole('link', { name: 'without errors' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'answer-question' }).count()).toBe(0);
    expect((await stage.assay.call('GET', `/traces/${traceId}`)).status).toBe(404);
    expect(visitor.complaints).toEqual([]);
  });

  test('become a testcase by the places of its fields, and a scored record', async () => {
    const own = await newProject('Made of traces');
    const made = async (path: string, body: object) =>
      (await stage.assay.call('POST', `/projects/${own}${path}`, body)).body;
    const testset = await made('/testsets', {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
    });
    await made('/metrics', {
      name: 'Same',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    });
    const question = { role: 'user', content: 'Where is my parcel?' };
    const traceId = await sendTrace(stage.assay.call, own, [
      { id: 'a', name: 'turn', attributes: chat([question], 'It arrives tomorrow.') },
    ]);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${own}/traces/${traceId}`);
    await page.getByRole('button', { name: 'Add to a testset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to a testset' });
    await dialog.getByLabel('answer').fill('output');
    await dialog.getByText('must be a place in a trace').first().waitFor();
    await dialog.getByLabel('answer').fill('/output');
    await dialog.getByText('"answer": "It arrives tomorrow."').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const added = page.getByRole('dialog', { name: 'Added to a testset' });
    await added.getByText('The testcase is in').waitFor();
    const { data } = (await stage.assay.call('GET', `/testsets/${testset.id}/testcases`)).body;
    expect(data).toMatchObject([
      {
        key: traceId,
        inputs: { question: question.content },
        expected: { answer: 'It arrives tomorrow.' },
      },
    ]);
    await added.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    const score = page.getByRole('dialog', { name: 'Score the trace' });
    await score.getByLabel('Same').check();
    await score.getByRole('button', { name: 'Score', exact: true }).click();
    await page.waitForURL(/\/records\//);
    await page.getByRole('link', { name: /What happened/ }).click();
    await page.waitForURL(`**/traces/${traceId}`);
    const records = page.getByRole('region', { name: 'Records' });
    await records.getByText('Same').waitFor();
    await expect.poll(() => records.getByRole('link').count()).toBe(1);

    await visitor.open(`/projects/${own}/traces`);
    await page.getByRole('gridcell', { name: /^Same: / }).waitFor();
    const volume = page.getByRole('img', { name: /^1 trace, 0 with errors/ });
    await volume.waitFor();
    const { width, height } = (await volume.boundingBox())!;
    await volume.click({ position: { x: width - 1, y: height / 2 } });
    await page.waitForURL(/from=.*&to=/);
    await page.getByRole('link', { name: 'turn' }).waitFor();
    // The place that was none.
    expect(visitor.complaints).toEqual([expect.stringContaining('status of 400')]);
  });

  test('that come while the list is open are told, and shown when asked', async () => {
    const own = await newProject('Live');
    await sendTrace(stage.assay.call, own, [{ id: 'a', name: 'before' }]);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${own}/traces`);
    await page.getByRole('link', { name: 'before' }).waitFor();
    for (const name of ['later', 'later'])
      await sendTrace(stage.assay.call, own, [{ id: 'a', name }]);
    const show = page.getByRole('button', { name: '2 new traces: show' });
    await show.waitFor();
    expect(await page.getByRole('link', { name: 'later' }).count()).toBe(0);
    await show.click();
    await expect.poll(() => page.getByRole('link', { name: 'later' }).count()).toBe(2);
    await show.waitFor({ state: 'detached' });
    // Estimates become exact in the list, without a reload.
    await page.getByRole('row', { name: /before.*✓ no errors/ }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('are kept for the days that the project says, or by the rule of the installation', async () => {
    const own = await newProject('Kept');
    const daysOf = async () =>
      (await stage.assay.call('GET', `/projects/${own}`)).body.traceRetentionDays;
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${own}/traces`);
    const button = page.getByRole('button', { name: 'Retention' });
    const days = page.getByRole('spinbutton', { name: 'Days after the last span' });
    for (const [before, typed] of [
      ['', '0'],
      ['0', '7'],
      ['7', ''],
    ] as const) {
      await expect
        .poll(async () => {
          await button.click();
          const shown = await days.inputValue();
          if (shown !== before) await page.keyboard.press('Escape');
          return shown;
        })
        .toBe(before);
      await page.getByText('With 0 a trace goes an hour after its last span').waitFor();
      await days.fill(typed);
      await page.getByRole('button', { name: 'Save' }).click();
      await days.waitFor({ state: 'detached' });
      expect(await daysOf()).toBe(typed === '' ? undefined : Number(typed));
    }
    expect(visitor.complaints).toEqual([]);
  });

  test('that name no project say so, and how to name it', async () => {
    const traceId = newTraceId();
    const body = exportOf(traceId, [{ id: 'a', name: 'of nobody' }]);
    expect((await stage.assay.call('POST', '/otel/v1/traces', body)).status).toBe(200);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${oldestId}/traces`);
    await page.getByText('Some of these traces named no project of your organization').click();
    await page.getByText(`assay.project_id=${oldestId}`).waitFor();
    await page.getByRole('link', { name: 'of nobody' }).click();
    await page.getByText('This trace named no project of your organization').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('of hostile names, lost parents and cycles are shown as text, each span once', async () => {
    const traceId = await sendTrace(stage.assay.call, projectId, [
      { id: 'root', name: markup },
      { id: 'lost', parent: 'gone', name: 'lost', from: 1 },
      { id: 'one', parent: 'two', name: 'one', from: 2, attributes: { [markup]: markup } },
      {
        id: 'two',
        parent: 'one',
        name: 'two',
        from: 3,
        attributes: chat([{ role: markup, content: markup }], markup),
      },
    ]);
    await using visitor = await stage.visit();
    const { page } = visitor;
    for (const [span, tab] of [
      ['root', 'payloads'],
      ['one', 'attributes'],
      ['two', 'conversation'],
      ['two', 'raw'],
    ]) {
      await visitor.open(
        `/projects/${projectId}/traces/${traceId}?span=${spanIdOf(span!)}&tab=${tab}`,
      );
      await visitor.quiet();
      await expect.poll(() => page.getByRole('treeitem').count()).toBe(4);
      expect(await page.locator('main img').count()).toBe(0);
    }
    const rows = await textsOf(page.getByRole('treeitem'));
    expect(rows.map((row) => row.includes('stands at the root'))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent())
      .toContain('⟨U+202E⟩');
    expect(visitor.complaints).toEqual([]);
  });

  test('of 5,000 spans make the rows in view alone, and every key leads to its row', async () => {
    const traceId = await sendTrace(
      stage.assay.call,
      projectId,
      Array.from({ length: 5000 }, (_, at) => ({
        id: `${at}`,
        ...(at === 0 ? {} : { parent: at % 100 === 0 ? '0' : `${at - 1}` }),
        name: `step ${at}`,
        from: at,
        to: at + 5,
        ...(at === 4321 ? { error: 'Broken.' } : {}),
      })),
    );
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/traces/${traceId}`);
    const rows = page.getByRole('treeitem');
    await rows.first().waitFor();
    await expect.poll(() => rows.count()).toBeLessThan(60);
    await page.keyboard.press('e');
    await expect.poll(() => chosenSpan(page)).toContain('step 4321');
    await page.getByRole('tree', { name: 'Spans' }).focus();
    await page.keyboard.press('End');
    await expect.poll(() => chosenSpan(page)).toContain('step 4999');
    await expect.poll(() => rows.count()).toBeLessThan(60);
    expect(visitor.complaints).toEqual([]);
  });

  test('of a session are the turns of one conversation, the oldest first', async () => {
    const session = 'session 8/ä';
    const long = 'Tell me all about it. '.repeat(20);
    const turns = [
      ['Where is my parcel?', 'Which one?'],
      ['The blue one.', long],
    ];
    // The later turn comes first.
    for (const [index, [question, answer]] of [...turns.entries()].reverse())
      await sendTrace(
        stage.assay.call,
        projectId,
        [
          {
            id: 'a',
            name: 'turn',
            attributes: {
              ...chat([{ role: 'user', content: question! }], answer!),
              'session.id': session,
            },
          },
        ],
        { startedAt: Date.now() - 600_000 + index * 60_000 },
      );
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/traces`);
    await page.getByRole('link', { name: session }).first().click();
    const articles = page.getByRole('article');
    await articles.nth(1).waitFor();
    const [first, second] = await textsOf(articles);
    expect(first).toContain('Where is my parcel?');
    expect(first).toContain('Which one?');
    expect(second).toContain('The blue one.');
    await articles.nth(1).getByRole('button', { name: 'Show all of it' }).click();
    await articles.nth(1).getByText(long.trim()).waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

const chosenSpan = (page: Page) =>
  page.getByRole('treeitem', { selected: true }).first().textContent();

const shownSpan = (page: Page) => new URL(page.url()).searchParams.get('span');
