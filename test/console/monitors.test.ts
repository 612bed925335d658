import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { chat, sendTrace } from './spans.ts';

describeInBrowser('monitors', (stage) => {
  test('are scored while they come by a monitor, whose records lead back to them', async () => {
    const own = (await stage.assay.call('POST', '/projects', { name: 'Watched', description: '' }))
      .body.id;
    const metric = (
      await stage.assay.call('POST', `/projects/${own}/metrics`, {
        name: 'Short',
        evalType: 'heuristic',
        outputType: 'boolean',
        builtin: { name: 'regex_match', options: { pattern: 'tomorrow', output: '/output' } },
      })
    ).body;
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${own}/traces`);
    await page.getByRole('link', { name: 'Monitors' }).click();
    await page.getByRole('button', { name: 'New monitor' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New monitor' });
    await dialog.getByLabel('Description').fill('Bot');
    await dialog.getByLabel('Service').fill('bot');
    await dialog.getByLabel('Share in percent').fill('100');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Choose a metric at least').waitFor();
    await dialog.getByLabel(metric.name).check();
    const status = dialog.getByRole('region', { name: 'What would match' });
    await status.getByText('No trace of the last hour has settled yet.').waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /Bot.*watching.*service bot.*100 %/ }).waitFor();

    const [question] = [{ role: 'user', content: 'Where is my parcel?' }];
    const traceId = await sendTrace(
      stage.assay.call,
      own,
      [{ id: 'a', name: 'turn', attributes: chat([question!], 'It arrives tomorrow.') }],
      { resource: { 'service.name': 'bot' } },
    );
    await expect
      .poll(async () => {
        const { body } = await stage.assay.call('GET', `/projects/${own}/monitors`);
        return body.data[0].days[0]?.counts.recorded;
      })
      .toBe(1);
    await page.reload();
    const row = page.getByRole('row', { name: /Bot/ });
    await row.getByText(/Short: \d.*% pass/).waitFor();
    await row.getByText('$0.00').waitFor();
    await row.getByRole('link').click();
    await page.waitForURL(/\/runs\//);
    await page
      .getByRole('gridcell', { name: /Where is my parcel/ })
      .first()
      .waitFor();
    const { data } = (await stage.assay.call('GET', `/projects/${own}/runs`)).body;
    const [record] = (await stage.assay.call('GET', `/runs/${data[0].id}/records`)).body.data;
    await visitor.open(`/projects/${own}/records/${record.id}`);
    await page.getByRole('link', { name: /What happened/ }).click();
    await page.waitForURL(`**/traces/${traceId}`);

    await visitor.open(`/projects/${own}`);
    const byDay = page.getByRole('region', { name: 'Pass rates of monitors by day' });
    await byDay.getByRole('row', { name: /^Bot Short \d.*%/ }).waitFor();
    await byDay.getByRole('link', { name: /%/ }).click();
    await page.waitForURL(`**/runs/${data[0].id}`);

    await visitor.open(`/projects/${own}/monitors`);
    await page.getByRole('button', { name: 'Bot' }).click();
    const edit = page.getByRole('dialog', { name: 'Monitor' });
    const days = edit.getByRole('region', { name: 'Last days' });
    await days.getByText(/Short: \d.*% pass/).waitFor();
    const matching = edit.getByRole('region', { name: 'What would match' });
    await matching.getByText('1 would match and 1 be taken.').waitFor();
    await matching.getByRole('link', { name: 'turn' }).waitFor();
    await edit.getByLabel('Attributes of a span').fill('gen_ai.request.model=another');
    await matching.getByText('0 would match and 0 be taken.').waitFor();
    await edit.getByRole('button', { name: 'Count the last 7 days' }).click();
    await edit.getByText('1 trace: 0 new records at most.').waitFor();
    await edit.getByRole('button', { name: 'Pause' }).click();
    await edit.getByRole('button', { name: 'Resume' }).waitFor();
    await edit.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: /Bot.*paused/ }).waitFor();
    await page.getByRole('button', { name: 'Bot' }).click();
    await edit.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No monitors yet').waitFor();

    const later = { description: 'Later', metrics: [metric.id], sampleRate: 1 };
    await stage.assay.call('PUT', `/projects/${own}/monitors`, later);
    await page.reload();
    await page.getByRole('button', { name: 'Later' }).click();
    await edit.getByRole('button', { name: 'Count the last 7 days' }).click();
    await edit.getByText('1 trace: 1 new record at most, about $0.00.').waitFor();
    await edit.getByRole('button', { name: 'Ask about them' }).click();
    await edit.getByText('It will be asked about 1 trace.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
