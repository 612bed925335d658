import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { signInLink } from './sign-in-link.ts';

describeInBrowser('signing in', (stage) => {
  const titleOf = (text: string) => ({ name: text, level: 1 }) as const;

  async function linkOf(): Promise<string> {
    const me = (await stage.assay.call('GET', '/me')).body;
    return signInLink(stage.assay, me.member.userId);
  }

  test('a link signs in once, and leaves no token in the address; the second use says so', async () => {
    const link = await linkOf();
    await using first = await stage.visit({ key: null });
    await first.open(link);
    await first.page.getByRole('heading', titleOf('Projects')).waitFor();
    expect(first.page.url()).toBe(`${stage.assay.url}/projects`);
    expect(first.complaints).toEqual([]);

    await using second = await stage.visit({ key: null });
    await second.open(link);
    await second.page.getByText('This sign-in link is spent').waitFor();
    expect(second.page.url()).not.toContain('once=');
  });

  test('a wrong key is told at the form, and a right one opens the page that was asked for', async () => {
    await using visit = await stage.visit({ key: null });
    await visit.open('/settings/keys');
    await visit.page.getByRole('heading', titleOf('Sign in to Assay')).waitFor();
    const key = visit.page.getByLabel('API key');
    await key.fill('ak_wrong');
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('alert').waitFor();
    await key.fill(stage.assay.key);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.waitForURL('**/settings/keys');
    await visit.page.getByRole('heading', titleOf('API keys')).waitFor();
  });

  test('no script can read the session, and no storage holds a key', async () => {
    await using visit = await stage.visit({ key: null });
    await visit.open('/login');
    await visit.page.getByLabel('API key').fill(stage.assay.key);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('heading', titleOf('Projects')).waitFor();
    const readable = await visit.page.evaluate(
      'document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
    );
    expect(readable).not.toContain('assay=');
    expect(readable).not.toContain(stage.assay.key);
  });

  test('a key that is revoked in mid-work is asked for again over the page, and the draft stays', async () => {
    const { call } = stage.assay;
    const made = (await call('POST', '/api-keys', { name: 'laptop', role: 'admin' })).body;
    await using visit = await stage.visit({ key: made.key });
    await visit.open('/projects');
    await visit.page.getByRole('button', { name: 'New project' }).first().click();
    await visit.page.getByLabel('Name').fill('Kept draft');
    expect((await call('DELETE', `/api-keys/${made.id}`)).status).toBe(200);
    const create = visit.page.getByRole('button', { name: 'Create', exact: true });
    const again = visit.page.getByRole('dialog', { name: 'Sign in again' });
    await create.click();
    await again.waitFor();
    expect(await visit.page.getByLabel('Name').inputValue()).toBe('Kept draft');
    await again.getByLabel('API key').fill(stage.assay.key);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('heading', titleOf('Kept draft')).waitFor();
    const names = (await call('GET', '/projects')).body.data.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.filter((name: string) => name === 'Kept draft')).toHaveLength(1);
  });

  test('who signs out is out: the page before it shows nothing', async () => {
    await using visit = await stage.visit();
    await visit.open('/projects');
    await visit.page.getByText('admin').first().waitFor({ state: 'attached' });
    await visit.page.locator('summary').first().click();
    await visit.page.getByRole('button', { name: 'Sign out' }).click();
    await visit.page.getByRole('heading', titleOf('Sign in to Assay')).waitFor();
    await visit.open('/projects');
    await visit.page.getByRole('heading', titleOf('Sign in to Assay')).waitFor();
  });
});
