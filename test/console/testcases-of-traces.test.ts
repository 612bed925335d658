import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { countedClicks } from './counted-clicks.ts';
import { sendTrace } from './spans.ts';

describeInBrowser('a testcase of a trace', (stage) => {
  test('is made of its values by two clicks, with a way to it and back; an invalid one is asked about', async () => {
    const own = (await stage.assay.call('POST', '/projects', { name: 'Recipes', description: '' }))
      .body.id;
    const text = { type: 'string' };
    const testset = (
      await stage.assay.call('POST', `/projects/${own}/testsets`, {
        name: 'Ingredients',
        description: '',
        jsonSchema: {
          type: 'object',
          properties: { line: text, quantity: { type: 'number' }, unit: text, item: text },
          required: ['line', 'quantity', 'unit', 'item'],
        },
        fieldMapping: {
          inputs: ['line'],
          expected: ['quantity', 'unit', 'item'],
          metadata: [],
        },
      })
    ).body;
    const sent = (output: object) =>
      sendTrace(stage.assay.call, own, [
        {
          id: 'a',
          name: 'read',
          attributes: {
            'input.value': JSON.stringify({ line: '2 cups of flour' }),
            'input.mime_type': 'application/json',
            'output.value': JSON.stringify(output),
            'output.mime_type': 'application/json',
          },
        },
      ]);
    const whole = await sent({ quantity: 2, unit: 'cup', item: 'flour' });
    const broken = await sent({ quantity: 'two', unit: 'cup' });
    await using visitor = await stage.visit();
    const { page } = visitor;
    const dialog = page.getByRole('dialog', { name: 'Add to a testset' });
    const added = page.getByRole('dialog', { name: 'Added to a testset' });
    const testcases = async () =>
      (await stage.assay.call('GET', `/testsets/${testset.id}/testcases`)).body.data;

    const by = countedClicks();
    await visitor.open(`/projects/${own}/traces/${whole}`);
    await by.click(page.getByRole('button', { name: 'Add to a testset' }));
    // The second click finds the dialog closed: one testcase is made.
    await dialog.getByRole('button', { name: 'Add', exact: true }).dblclick();
    await added.getByText('✓ The testcase is in Ingredients').waitFor();
    expect(by.count + 1).toBeLessThanOrEqual(4);
    const [made, ...others] = await testcases();
    expect(others).toEqual([]);
    expect(made).toMatchObject({
      jsonData: { line: '2 cups of flour', quantity: 2, unit: 'cup', item: 'flour' },
    });
    expect(made.validationErrors).toBeUndefined();
    await added.getByRole('button', { name: 'Undo' }).click();
    await added.getByText('is deleted from Ingredients again').waitFor();
    expect(await testcases()).toEqual([]);
    await added.getByRole('button', { name: 'Close', exact: true }).last().click();

    await visitor.open(`/projects/${own}/traces/${broken}`);
    await page.getByRole('button', { name: 'Add to a testset' }).click();
    await dialog.getByText('It would break the schema in 2 places').waitFor();
    const problemOf = (name: string) =>
      dialog
        .locator('div')
        .filter({ has: page.getByLabel(name) })
        .getByRole('alert')
        .first();
    await expect.poll(() => problemOf('quantity').textContent()).toContain('number');
    await expect.poll(() => problemOf('item').textContent()).toContain('"item"');
    await dialog.getByRole('button', { name: 'Add it all the same' }).click();
    await added.getByRole('link', { name: 'Ingredients' }).click();
    await page.waitForURL(`**/testsets/${testset.id}?q=*`);
    await page.getByText('1–1 of 1').waitFor();

    await visitor.open(`/projects/${own}/traces/${broken}`);
    await page.getByRole('button', { name: 'Add to a testset' }).click();
    await dialog.getByText('has a testcase of this trace already').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
