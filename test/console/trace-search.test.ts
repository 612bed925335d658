import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { sendTrace } from './spans.ts';

describeInBrowser('the search of traces', (stage) => {
  test('finds what a span says, among those that pass the filters, and a found trace is deleted', async () => {
    const project = { name: 'Support', description: '' };
    const projectId = (await stage.assay.call('POST', '/projects', project)).body.id;
    const saying = (id: string, said: string) =>
      sendTrace(stage.assay.call, projectId, [
        { id, name: `answer ${id}`, attributes: { 'input.value': said } },
      ]);
    await saying('one', '{"question":"Where is my \\"parcel\\"?"}');
    await saying('two', 'How do I pay?');
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/traces`);
    await page.getByRole('link', { name: 'answer two' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('error:false my "PARCEL"');
    await page.keyboard.press('Enter');
    await page.getByText(/^Searched 2 traces, back to /).waitFor();
    await page.getByRole('link', { name: 'answer two' }).waitFor({ state: 'detached' });
    const search = new URL(page.url()).searchParams;
    expect([search.get('error'), search.get('text')]).toEqual(['false', 'my "PARCEL"']);

    await page.getByRole('checkbox', { name: 'Select answer one' }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Delete 1 trace' })
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    await page.getByRole('heading', { name: 'No trace passes these filters' }).waitFor();
    await page.getByRole('button', { name: 'Take all filters away' }).click();
    await page.getByRole('link', { name: 'answer two' }).waitFor();
  });
});
