import { beforeAll, expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser, openRun } from './browser.ts';

describeInBrowser('a run is scored anew', (stage) => {
  let path: string;
  let runId: string;
  const make = async (target: string, body: unknown) => {
    const reply = await stage.assay.call('POST', target, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  beforeAll(async () => {
    const { id: projectId } = await make('/projects', { name: 'Anew', description: '' });
    const metric = async (body: object) =>
      (await make(`/projects/${projectId}/metrics`, { outputType: 'boolean', ...body })).id;
    const metricIds = [
      await metric({
        name: 'Same',
        evalType: 'heuristic',
        builtin: { name: 'exact_match', options: {} },
      }),
      await metric({
        name: 'By a model',
        evalType: 'ai',
        promptTemplate: 'Is {{ outputs.answer }} right?',
        evalModelName: 'compatible/of-no-known-price',
      }),
      await metric({ name: 'By a program', evalType: 'heuristic' }),
      await metric({ name: 'By people', evalType: 'human' }),
    ];
    const run = await make(`/projects/${projectId}/runs`, { name: 'First', metricIds });
    runId = run.id;
    path = `/projects/${projectId}/runs/${runId}`;
    for (const answer of ['a', 'b', 'c'])
      await make(`/runs/${runId}/records`, {
        inputs: { answer },
        expected: { answer },
        outputs: { answer },
      });
  });

  test('after the dialog said by which metrics, how many scores, and what judges would cost', async () => {
    await using visit = await stage.visit({ theme: 'light' });
    const { page } = visit;
    await openRun(visit, path);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Rescore …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rescore the run' });
    await dialog.getByRole('button', { name: 'Make 6 scores anew' }).waitFor();
    await dialog.getByText('3 scores, without a judge').waitFor();
    await dialog.getByText('3 scores, at a price that is not known', { exact: true }).waitFor();
    await dialog.getByText('Judges are paid for 3 scores, at a price that is not known.').waitFor();
    await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(2);
    expect(await problemsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(page)).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'By a model' }).uncheck();
    await dialog.getByText('No judge is asked: it costs nothing.').waitFor();
    await dialog.getByRole('button', { name: 'Make 3 scores anew' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });

  test('of the records that are selected, too', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await stage.assay.call('PATCH', `/runs/${runId}`, { budgetUsd: 2 });
    await openRun(visit, path);
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: /^Rescore/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Judges are paid for 1 score, at a price that is not known.').waitFor();
    await dialog
      .getByText("$2.00 of the run's budget are left: scoring pauses where that is spent.")
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
