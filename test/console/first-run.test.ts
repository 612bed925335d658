import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

describeInBrowser('a first evaluation', (stage) => {
  test('begins with a project made on the page, and the command of its empty list', async () => {
    await using visitor = await stage.visit();
    await visitor.open('/projects');
    await visitor.page.getByRole('heading', { name: 'No projects yet' }).waitFor();
    await visitor.page.getByRole('button', { name: 'New project' }).first().click();
    await visitor.page.getByLabel('Name', { exact: true }).fill('Support bot');
    await visitor.page.getByRole('button', { name: 'Create', exact: true }).click();
    await visitor.page.getByRole('heading', { name: 'Support bot', level: 1 }).waitFor();

    await visitor.page.getByRole('link', { name: 'Runs', exact: true }).click();
    await visitor.page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    const run = await paste((await visitor.page.locator('main pre').first().textContent())!);
    expect(run.id).toMatch(/^[0-9a-f-]{36}$/);

    await visitor.page.reload();
    await visitor.page.getByRole('link', { name: /^Run of/ }).click();
    await visitor.page.getByRole('heading', { name: 'No records yet' }).waitFor();
    await paste((await visitor.page.locator('main pre').first().textContent())!);
    await visitor.page.reload();
    await visitor.page.getByRole('link', { name: 'Where is my parcel?' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  /** Runs a command of the console in a terminal that has the variables which it names. */
  async function paste(command: string) {
    const { stdout } = await promisify(execFile)('bash', ['-c', command], {
      env: { PATH: process.env.PATH, ASSAY_API_KEY: stage.assay.key },
    });
    return JSON.parse(stdout.slice(stdout.indexOf('{')));
  }
});
