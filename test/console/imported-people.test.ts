import { newId } from '@assay/runtime/ids';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import {
  fileOf,
  header,
  projectLine,
  runLine,
} from '../../services/transfers/test/written-file.ts';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the people whom an import made', (stage) => {
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;

  test('are shown beside the members once there are any, and an admin maps one to a member', async () => {
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await visitor.open('/settings/members');
    await page.getByRole('button', { name: 'Invite' }).waitFor();
    const button = page.getByRole('button', { name: 'Imported people' });
    expect(await button.count()).toBe(0);

    const [grace, run] = [newId(), newId()];
    const member = {
      kind: 'member',
      userId: grace,
      email: 'grace@example.org',
      name: '<b>Grace</b>',
    };
    const file = fileOf(
      header,
      projectLine(),
      JSON.stringify(member),
      JSON.stringify({ ...runLine(run), createdByUserId: grace }),
    );
    await stage.assay.call('POST', '/projects/import', undefined, {
      raw: file,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const ada = await call('POST', '/members', { email: 'ada@example.com', name: 'Ada' });
    const [{ projectId }] = (await call('GET', '/members?imported=true')).data;
    await page.reload();
    await button.click();
    await page.getByRole('gridcell', { name: '<b>Grace</b>' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Map to a member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Who is <b>Grace</b>?' });
    await dialog.getByLabel('Member').selectOption('Ada · ada@example.com');
    expect(await problemsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Map', exact: true }).click();
    await page.getByText('No imported authors').waitFor();
    await poll('the run is of the member', async () => {
      const [stored] = (await call('GET', `/projects/${projectId}/runs`)).data;
      return stored.createdByUserId === ada.userId;
    });
    await button.click();
    await page.getByRole('gridcell', { name: 'ada@example.com' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
