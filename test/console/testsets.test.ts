import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, textsOf } from './browser.ts';

const definition = {
  jsonSchema: {
    type: 'object',
    properties: {
      question: { type: 'string' },
      idealAnswer: { type: 'string' },
      priority: { type: 'integer' },
    },
    required: ['question', 'idealAnswer'],
  },
  fieldMapping: { inputs: ['question'], expected: ['idealAnswer'], metadata: ['priority'] },
};

describeInBrowser('a testset', (stage) => {
  let projectId: string;
  beforeAll(async () => {
    const project = await stage.assay.call('POST', '/projects', { name: 'p', description: '' });
    projectId = project.body.id;
  });

  async function createTestset(name: string, data: (object | string)[] = []): Promise<string> {
    const { call } = stage.assay;
    const path = `/projects/${projectId}/testsets`;
    const { id } = (await call('POST', path, { name, description: '', ...definition })).body;
    if (data.length === 0) return id;
    const items = data.map(
      (one) => `{"jsonData":${typeof one === 'string' ? one : JSON.stringify(one)}}`,
    );
    const made = await call('POST', `/testsets/${id}/testcases`, undefined, {
      raw: `{"items":[${items.join(',')}]}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(made.status, made.text).toBe(201);
    return id;
  }
  const pathOf = (testsetId: string) => `/projects/${projectId}/testsets/${testsetId}`;
  const cellOf = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();
  const exported = async (testsetId: string) =>
    (await stage.assay.call('GET', `/testsets/${testsetId}/testcases/export`)).text
      .split('\n')
      .filter((line) => line !== '');
  const fits = { question: 'Where is it?', idealAnswer: 'On its way.', priority: 1 };

  test('takes a CSV of 10,000 rows: the three bad ones are told, corrected in their own file, and sent again', async () => {
    const testsetId = await createTestset('Import');
    const rows = Array.from({ length: 10_000 }, (_, index) => [
      `"Question ${index}, with a line\r\nbreak"`,
      `Answer ${index}`,
      `${index}`,
    ]);
    rows[15]![2] = 'soon';
    rows[4000]![1] = '';
    rows[9999]!.push('one too many');
    const csv = [['question', 'idealAnswer', 'priority'], ...rows]
      .map((cells) => cells.join(','))
      .join('\r\n');
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${pathOf(testsetId)}?tab=import`);
    const choose = (name: string, content: string) =>
      page
        .getByLabel('File')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
    await choose('questions.csv', `\ufeff${csv}`);
    await page.getByText('Table with commas').waitFor();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('9,997 valid, 2 invalid, 1 unreadable').waitFor();
    const told = page.getByRole('region', { name: 'Rows to correct' }).getByRole('row');
    const texts = (await textsOf(told)).slice(1);
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/^17.*"priority" must be an integer/);
    expect(texts[1]).toMatch(/^4,002.*"idealAnswer" is required/);
    expect(texts[2]).toMatch(/^10,001.*has 4 cells/);
    expect(await exported(testsetId)).toEqual([]);

    await page.getByRole('button', { name: 'Import 9,997 testcases' }).click();
    await page.getByText('9,997 testcases imported').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download 3 rows to correct' }).click();
    const file = await download;
    expect(await file.suggestedFilename()).toBe('questions-to-correct.csv');
    const left = await readFile(await file.path(), 'utf8');
    expect(left.split('\n')[0]).toBe('_error,question,idealAnswer,priority');
    const corrected = left
      .replace(',soon', ',16')
      .replace(',,4000', ',Answer 4000,4000')
      .replace(',one too many', '');

    await page.getByRole('button', { name: 'Another file' }).click();
    await choose('corrected.csv', corrected);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('button', { name: 'Import 3 testcases' }).click();
    await page.getByText('3 testcases imported').waitFor();
    const all = (await exported(testsetId)).map((line) => JSON.parse(line));
    expect(all).toHaveLength(10_000);
    expect(all.every((data) => Object.keys(data).length === 3)).toBe(true);
    expect(new Set(all.map(({ question }) => question)).size).toBe(10_000);
    expect(visit.complaints).toEqual([]);
  });

  test('is made from a file of JSON lines, with the fields that the file has, and keeps every digit', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${pathOf(await createTestset('Before'))}?tab=import`);
    await page.getByLabel('File').setInputFiles({
      name: 'capitals.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from(
        '{"country":"Norway","expectedCity":"Oslo","population":12345678901234567890.10}\n',
      ),
    });
    await page.getByLabel('Import into').selectOption('new');
    await page.getByLabel('Role of the column population').selectOption('metadata');
    await page.getByRole('button', { name: 'Create the testset and check' }).click();
    await page.getByRole('button', { name: 'Import 1 testcase', exact: true }).click();
    await page.getByText('1 testcase imported').waitFor();
    await page.getByRole('link', { name: 'Show the testcases' }).click();
    await cellOf(page, /^expectedCity: Oslo/).waitFor();
    const testsetId = /testsets\/([^?]+)/.exec(page.url())![1]!;
    expect(await exported(testsetId)).toEqual([
      '{"country":"Norway","expectedCity":"Oslo","population":12345678901234567890.10}',
    ]);
    expect((await stage.assay.call('GET', `/testsets/${testsetId}`)).body).toMatchObject({
      name: 'capitals',
      jsonSchema: { properties: { population: { type: 'number' } } },
      fieldMapping: { inputs: ['country'], expected: ['expectedCity'], metadata: ['population'] },
    });
  });

  test('is brought up to a file by its key column: what that would do is counted first', async () => {
    const testsetId = await createTestset('Keys');
    const csv = (rows: string[]) => ['id,question,idealAnswer', ...rows].join('\n');
    await using visit = await stage.visit();
    const { page } = visit;
    async function check(rows: string[], mode: string): Promise<void> {
      await visit.open(`${pathOf(testsetId)}?tab=import`);
      await page.getByLabel('File').setInputFiles({
        name: 'cases.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(csv(rows)),
      });
      await page.getByLabel('Role of the column id', { exact: true }).selectOption('key');
      await page.getByLabel('Testcases by key').selectOption(mode);
      await page.getByRole('button', { name: 'Check' }).click();
    }
    await check(['1,One?,Yes', '2,Two?,Yes', '2,Again?,No', ',None?,No'], 'upsert');
    await page.getByText('2 new, 0 changed, 0 unchanged').waitFor();
    await page.getByText('has the key of row 3').waitFor();
    await page.getByText('has no key').waitFor();
    await page.getByRole('button', { name: 'Import 2 testcases' }).click();
    await page.getByText('2 new, 0 changed, 0 unchanged in Keys.').waitFor();

    await check(['2,Two?,No', '3,Three?,', '4,Four?'], 'sync');
    await page.getByText('Rows that cannot be read would be missing').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: /^Import \d/ }).isDisabled())
      .toBe(true);

    await check(['2,Two?,No', '3,Three?,'], 'sync');
    await page.getByText('1 new, 1 changed, 0 unchanged, 1 deleted').waitFor();
    expect(await exported(testsetId)).toHaveLength(2);
    await page.getByRole('button', { name: 'Import 2 testcases and delete 1' }).click();
    await page.getByText('1 new, 1 changed, 0 unchanged, 1 deleted in Keys.').waitFor();
    await page.getByRole('link', { name: 'Show the testcases' }).click();
    await page.getByRole('columnheader', { name: 'Key' }).waitFor();
    expect(await exported(testsetId)).toEqual([
      '{"jsonData":{"question":"Two?","idealAnswer":"No"},"key":"2"}',
      '{"jsonData":{"question":"Three?"},"key":"3"}',
    ]);
    expect(visit.complaints).toEqual([]);
  });

  test('is edited in place: only what was typed changes, and Escape takes it back', async () => {
    const data = '{ "question":"Old?", "number": 1.50e400, "idealAnswer":"Yes", "priority":1 }';
    const testsetId = await createTestset('Edit', [data]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(pathOf(testsetId));
    await cellOf(page, /^question: Old/).click();
    const editor = page.getByRole('textbox', { name: 'question' });
    await editor.fill('Taken back');
    await editor.press('Escape');
    await cellOf(page, /^question: Old/).click();
    await editor.fill('New\n"quoted"?');
    await editor.press('Enter');
    await cellOf(page, /^question: New "quoted"/).waitFor();
    expect(await exported(testsetId)).toEqual([data.replace('Old?', 'New\\n\\"quoted\\"?')]);

    await cellOf(page, /^priority: 1/).click();
    const number = page.getByRole('textbox', { name: 'priority (JSON)' });
    await number.fill('{"a":');
    await number.press('Enter');
    await page.getByText('This is no JSON').waitFor();
    await expect.poll(() => number.inputValue()).toBe('{"a":');
    await number.fill('2');
    await number.press('Enter');
    await cellOf(page, /^priority: 2/).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('keeps the draft at its cell when the service refuses it', async () => {
    const testsetId = await createTestset('Refused', [fits]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(pathOf(testsetId));
    await cellOf(page, /^question: Where/).click();
    await page.route('**/v2/testcases/*', (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: '{"code":"VALIDATION_ERROR","message":"Not this time.","details":{}}',
      }),
    );
    const editor = page.getByRole('textbox', { name: 'question' });
    await editor.fill('A draft');
    await editor.press('Enter');
    await page.getByRole('alert').getByText('Not this time.').waitFor();
    await expect.poll(() => editor.inputValue()).toBe('A draft');
  });

  test('shows an invalid testcase by its badge, with each error at its cell, and finds it by a filter', async () => {
    const testsetId = await createTestset('Badge', [
      fits,
      { question: 'Without an answer', priority: 'high' },
      fits,
    ]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(pathOf(testsetId));
    await page.getByText('✗ invalid').waitFor();
    await expect.poll(() => page.getByText('✗ invalid').count()).toBe(1);
    await cellOf(page, /^idealAnswer: nothing, "idealAnswer" is required/).waitFor();
    await cellOf(page, /^priority: high, "priority" must be an integer/).waitFor();
    await page.getByLabel('Invalid only').check();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('Filter testcases').fill('NOBODY WROTE THIS');
    await page.getByRole('heading', { name: 'No such testcase' }).waitFor();
    await page.getByLabel('Filter testcases').fill('without AN answer');
    await cellOf(page, /^question: Without an answer, invalid/).waitFor();
    expect(page.url()).toMatch(/invalid=true&q=without/);
    expect(visit.complaints).toEqual([]);
  });

  test('names a new field at once, wherever its role puts it', async () => {
    const testsetId = await createTestset('New field', [fits]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${pathOf(testsetId)}?tab=schema`);
    await page.getByRole('button', { name: 'Add a field' }).click();
    await expect
      .poll(() => page.locator(':focus').getAttribute('aria-label'))
      .toMatch(/^Name of field\d+$/);
    await page.keyboard.type('language');
    await page.keyboard.press('Tab');
    await page.getByLabel('Type of language').waitFor();
    await page.getByLabel('Role of language').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.getByLabel('Role of language').inputValue()).toBe('metadata');
    await expect
      .poll(() => page.locator(':focus').getAttribute('aria-label'))
      .toBe('Role of language');
    await expect.poll(() => page.getByLabel(/^Type of field/).count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  test('says before a schema is saved which testcases it would make invalid', async () => {
    const testsetId = await createTestset('Schema', [fits, { ...fits, priority: 9 }, fits]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${pathOf(testsetId)}?tab=schema`);
    await page.getByLabel('Type of priority').selectOption('boolean');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the schema' });
    await dialog.getByText('3 of 3 testcases would become invalid').waitFor();
    await dialog.getByText('"priority" must be a boolean').first().waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('Type of priority').selectOption('integer');
    await page.getByLabel('Description of priority').fill('From 0 to 9');
    await page.getByRole('link', { name: 'JSON' }).click();
    const json = page.getByLabel('Schema and roles (JSON)');
    await expect.poll(() => json.inputValue()).toContain('"description": "From 0 to 9"');
    await json.fill((await json.inputValue()).replace('"From 0 to 9"', '"From 0", "minimum": 0'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { jsonSchema } = (await stage.assay.call('GET', `/testsets/${testsetId}`)).body;
    expect(jsonSchema.properties.priority).toEqual({
      type: 'integer',
      description: 'From 0',
      minimum: 0,
    });
    expect(visit.complaints).toEqual([]);
  });

  test('takes rows of a spreadsheet from the clipboard, checked before they are sent', async () => {
    const testsetId = await createTestset('Paste', [fits]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(pathOf(testsetId));
    await cellOf(page, /^question/).waitFor();
    const rows = ['idealAnswer\tquestion\tpriority', 'Soon.\t"When, and\nwhere?"\t2', '\tWhy?\tx'];
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(rows.join('\r\n'))})`);
    await page.keyboard.press('Control+v');
    const dialog = page.getByRole('dialog', { name: 'Paste rows' });
    await dialog.getByText('2 rows: 1 valid, 1 invalid').waitFor();
    await dialog.getByText('"idealAnswer" is required').waitFor();
    await dialog.getByRole('button', { name: 'Add them all the same' }).click();
    await cellOf(page, /^question: Why/).waitFor();
    expect((await exported(testsetId)).slice(1)).toEqual([
      '{"idealAnswer":"Soon.","question":"When, and\\nwhere?","priority":2}',
      '{"question":"Why?","priority":"x"}',
    ]);
  });

  test('is found, filled and corrected by the keyboard alone', async () => {
    const testsetId = await createTestset('Zzz keyboard', [fits]);
    await using visit = await stage.visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open(`/projects/${projectId}`);
    await keyboard.press('g');
    await keyboard.press('t');
    const testset = page.getByRole('row', { name: /Zzz keyboard/ });
    await testset.waitFor();
    await keyboard.press('j');
    const isThere = () => testset.evaluate('(row) => row === document.activeElement');
    for (let steps = 0; steps < 20 && !(await isThere()); steps += 1) await keyboard.press('j');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Zzz keyboard', level: 1 }).waitFor();
    await cellOf(page, /^question: Where/).waitFor();
    await keyboard.press('j');
    await keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'question' }).waitFor();
    await keyboard.type('Typed?');
    await keyboard.press('Tab');
    await page.getByRole('textbox', { name: 'idealAnswer' }).waitFor();
    await keyboard.type('Typed.');
    await keyboard.press('Enter');
    await cellOf(page, /^idealAnswer: Typed\./).waitFor();
    expect(await exported(testsetId)).toEqual([
      '{"question":"Typed?","idealAnswer":"Typed.","priority":1}',
    ]);
    expect(visit.complaints).toEqual([]);
  });

  test('is read once for a cell that Enter opens: a second reply would take back what was typed', async () => {
    const testsetId = await createTestset('Once', [fits]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(pathOf(testsetId));
    await cellOf(page, /^question: Where/).waitFor();
    let readings = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/data')) readings += 1;
    });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'question' });
    await editor.waitFor();
    await page.keyboard.type('Typed?');
    await expect.poll(() => editor.inputValue()).toBe('Typed?');
    expect(readings).toBe(1);
  });

  test('loses what is selected and deleted, and nothing else', async () => {
    const testsetId = await createTestset('Delete', [
      { ...fits, question: 'one' },
      { ...fits, question: 'two' },
      { ...fits, question: 'three' },
    ]);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(pathOf(testsetId));
    for (const question of ['one', 'three'])
      await page
        .getByRole('row', { name: new RegExp(`question: ${question}\\.`) })
        .getByRole('checkbox')
        .check();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Delete 2 testcases' })
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    await page.getByText('1–1 of 1').waitFor();
    expect(await exported(testsetId)).toEqual([JSON.stringify({ ...fits, question: 'two' })]);
  });
});
