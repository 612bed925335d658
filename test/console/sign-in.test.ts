import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { callAt } from '../system/installation.ts';
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
    await second.page.getByText('This link is spent or withdrawn').waitFor();
    expect(second.page.url()).not.toContain('once=');
  });

  test('a link asks first where somebody is signed in, and leaves that session where it is not wanted', async () => {
    const other = await stage.assay.newOrganization('Another team');
    const me = (await callAt(stage.assay.url, other.key)('GET', '/me')).body;
    await using visit = await stage.visit();
    await visit.open('/projects');
    await visit.page.getByRole('heading', titleOf('Projects')).waitFor();
    const organization = visit.page.getByRole('button', { name: /^Project: / });
    await expect.poll(() => organization.textContent()).not.toContain('Another team');

    await visit.open(await signInLink(stage.assay, me.member.userId));
    await visit.page.getByText('This link signs you in anew').waitFor();
    await visit.page.getByRole('button', { name: 'Stay signed in' }).click();
    await visit.page.getByRole('heading', titleOf('Projects')).waitFor();
    await expect.poll(() => organization.textContent()).not.toContain('Another team');

    await visit.open(await signInLink(stage.assay, me.member.userId));
    await visit.page.getByRole('button', { name: 'Sign in by the link' }).click();
    await visit.page.getByRole('heading', titleOf('Projects')).waitFor();
    await expect.poll(() => organization.textContent()).toContain('Another team');
  });

  test('another web server of this machine gets the cookie, and can do nothing with it', async () => {
    const seen: string[] = [];
    const server = createServer(({ headers }, response) => {
      seen.push(headers.cookie ?? '');
      response.setHeader('content-type', 'text/html').end('<title>Other</title>');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await using visit = await stage.visit();
    await visit.open('/projects');
    await visit.page.getByRole('heading', titleOf('Projects')).waitFor();
    await visit.page.goto(`http://127.0.0.1:${port}/`);
    await visit.page.waitForFunction('document.title === "Other"');
    expect(await visit.page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    server.close();
    const cookie = seen[0]!;
    expect(cookie).toContain('=as_');
    const stolen: Record<string, string>[] = [{ cookie }, { cookie, 'x-assay-console': '1' }];
    for (const headers of stolen) {
      const read = await fetch(`${stage.assay.url}/v2/me`, { headers });
      const made = await fetch(`${stage.assay.url}/v2/api-keys`, {
        method: 'POST',
        headers: {
          ...headers,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name: 'mine', role: 'admin' }),
      });
      expect([read.status, made.status]).toEqual([401, 401]);
    }
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
    expect(readable).not.toContain('as_');
    expect(readable).not.toContain(stage.assay.key);
  });

  test('a key that is revoked in mid-work is asked for again over the page, and the draft stays', async () => {
    const { call } = stage.assay;
    const made = (await call('POST', '/api-keys', { name: 'laptop', role: 'admin' })).body;
    await using visit = await stage.visit({ key: made.key });
    await visit.open('/projects');
    await visit.page.getByRole('button', { name: 'New project' }).first().click();
    await visit.page.getByLabel('Name', { exact: true }).fill('Kept draft');
    expect((await call('DELETE', `/api-keys/${made.id}`)).status).toBe(200);
    const create = visit.page.getByRole('button', { name: 'Create', exact: true });
    const again = visit.page.getByRole('dialog', { name: 'Sign in again' });
    await create.click();
    await again.waitFor();
    await expect
      .poll(() => visit.page.getByLabel('Name', { exact: true }).inputValue())
      .toBe('Kept draft');
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
    await visit.page.getByRole('button', { name: /^Account: / }).click();
    await visit.page.getByRole('button', { name: 'Sign out' }).click();
    await visit.page.getByRole('heading', titleOf('Sign in to Assay')).waitFor();
    await visit.open('/projects');
    await visit.page.getByRole('heading', titleOf('Sign in to Assay')).waitFor();
  });

  const begin = async (clientName: string) =>
    (await stage.assay.call('POST', '/session/device', { clientName })).body;
  const askForKey = ({ deviceCode }: { deviceCode: string }) =>
    stage.assay.call('POST', '/session/device/token', { deviceCode });

  test('a device is logged in by whoever compares its code, after signing in, and by opening the page not yet', async () => {
    const begun = await begin('adas-laptop');
    await using visit = await stage.visit({ key: null, width: 390, height: 700 });
    const { page } = visit;
    await visit.open(begun.verificationPath);
    await page.getByLabel('API key').fill(stage.assay.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', titleOf('Log a device in')).waitFor();
    await expect.poll(() => page.getByLabel('Code').textContent()).toBe(begun.userCode);
    for (const fact of [
      'adas-laptop',
      'unverified',
      'from 127.0.0.1',
      'of My organization',
      'Admin: also people and keys',
    ])
      await page.getByText(fact).first().waitFor();
    expect((await askForKey(begun)).body.code).toBe('AUTHORIZATION_PENDING');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved: adas-laptop has its key in a few seconds.').waitFor();
    const { status, body } = await askForKey(begun);
    expect(status).toBe(200);
    await page.getByRole('link', { name: 'Settings, API keys' }).click();
    await page.getByText(body.name).first().waitFor();
  });

  test('a code can be typed as one likes, a wrong one is told, and a denied device gets no key', async () => {
    const begun = await begin('strange-host');
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open('/device');
    const type = async (code: string) => {
      await page.getByLabel('Code').fill(code);
      await page.getByRole('button', { name: 'Continue' }).click();
    };
    await type('BBBB-BBBB');
    await page.getByText('No login waits under this code').waitFor();
    // Who looks for the code in the terminal, and comes back, finds what was typed.
    await page.getByLabel('Code').fill('CC');
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => page.getByLabel('Code').inputValue()).toBe('CC');
    await type(` ${begun.userCode.toLowerCase().replace('-', ' ')}`);
    await page.getByText('strange-host').waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied: strange-host gets no key.').waitFor();
    expect((await askForKey(begun)).body.code).toBe('ACCESS_DENIED');
  });

  test("in a session by a member's key the page says why it approves no device", async () => {
    const { body } = await stage.assay.call('POST', '/api-keys', { name: 'plain' });
    const begun = await begin('laptop');
    await using visit = await stage.visit({ key: body.key });
    await visit.open(begun.verificationPath);
    await visit.page.getByText("You are signed in by a member's key").waitFor();
    await expect
      .poll(() => visit.page.getByRole('button', { name: 'Approve' }).isDisabled())
      .toBe(true);
    await expect
      .poll(() => visit.page.getByRole('button', { name: 'Deny' }).isEnabled())
      .toBe(true);
  });
});
