import { expect, test } from 'vitest';
import { expiredProjectFile } from '../../services/transfers/test/expired-project.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('runs are kept for a time', (stage) => {
  const newProject = async () =>
    (await stage.assay.call('POST', '/projects', { name: 'Kept', description: '' })).body.id;
  const withExpiredRun = async (): Promise<string> => {
    const { text } = await stage.assay.call('POST', '/projects/import', undefined, {
      raw: expiredProjectFile(),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    return JSON.parse(text.trim().split('\n').at(-1)!).projectId;
  };

  test('for the days that a project says, and what would go is shown before it is saved', async () => {
    const projectId = await newProject();
    await stage.assay.call('POST', `/projects/${projectId}/runs`, { metricIds: [] });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/runs`);
    await page.getByRole('button', { name: 'Retention' }).click();
    const days = page.getByRole('spinbutton', { name: 'Days after the last change' });
    await page.getByText('Nothing would go.').waitFor();
    await days.fill('30');
    await page.getByText('No run would go now.').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await days.waitFor({ state: 'detached' });
    const { body } = await stage.assay.call('GET', `/projects/${projectId}`);
    expect(body.runRetentionDays).toBe(30);
    expect(visitor.complaints).toEqual([]);
  });

  test('and then a list and a page say that a run expired, with the results that were kept', async () => {
    const projectId = await withExpiredRun();
    await stage.assay.call('POST', `/projects/${projectId}/runs`, { metricIds: [], name: 'New' });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/runs`);
    await page.getByRole('row', { name: /Old.*expired.*75/ }).waitFor();
    await page.getByRole('link', { name: 'Old' }).click();
    await page.getByText(/^Expired on .*: its records are gone\.$/).waitFor();
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByRole('heading', { name: 'Correct' }).waitFor();
    await results.getByText('75').first().waitFor();
    expect(await page.getByRole('button', { name: 'Rescore' }).count()).toBe(0);
    expect(await problemsOf(page)).toEqual([]);
    await visitor.open(`/projects/${projectId}/compare`);
    await page.getByRole('combobox', { name: 'Baseline' }).click();
    await page.getByRole('option', { name: /^New/ }).waitFor();
    expect(await page.getByRole('option', { name: /^Old/ }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});
