import { readFile } from 'node:fs/promises';
import { hasOpenssl } from '@assay/testing/certificate';
import { startTlsProxy, type TlsProxy } from '@assay/testing/tls-proxy';
import { afterAll, describe, expect, test } from 'vitest';
import { describeInBrowser, type Visitor } from './browser.ts';
import { signInLink } from './sign-in-link.ts';

/** Large enough for the thread that scans payloads. */
const largeText = 'a line of text, and another one. '.repeat(100_000);

describe.skipIf(!hasOpenssl).each([
  { place: 'at the root of its host', base: '', cookie: '__Host-assay', cookiePath: '/' },
  { place: 'below /assay', base: '/assay', cookie: '__Secure-assay', cookiePath: '/assay' },
])('behind a proxy that ends TLS (needs openssl)', ({ place, base, cookie, cookiePath }) => {
  let proxy: TlsProxy;
  afterAll(() => proxy?.[Symbol.asyncDispose]());

  describeInBrowser(
    `the console ${place}`,
    (stage) => {
      const visit = async (): Promise<Visitor> => {
        proxy.passTo(stage.assay.url);
        return stage.visit({ key: null, origin: proxy.origin });
      };
      const title = (name: string) => ({ name, level: 1 }) as const;
      const call = async (...request: Parameters<typeof stage.assay.call>) =>
        (await stage.assay.call(...request)).body;

      test('has a cookie for https alone, and does all that it does without TLS', async () => {
        await using visitor = await visit();
        const { page, context } = visitor;
        await visitor.open(`${base}/settings/keys`);
        await page.getByLabel('API key', { exact: true }).fill(stage.assay.key);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', title('API keys')).waitFor();
        expect(page.url()).toBe(`${proxy.origin}${base}/settings/keys`);
        expect(await context.cookies()).toMatchObject([
          {
            name: `${cookie}-${new URL(proxy.origin).port}`,
            path: cookiePath,
            secure: true,
            httpOnly: true,
            sameSite: 'Strict',
          },
        ]);

        // The browser names the refusals that led to the sign-in.
        visitor.complaints.splice(0);
        await page.getByRole('link', { name: 'Assay', exact: true }).click();
        await page.getByRole('button', { name: 'New project' }).first().click();
        await page.getByLabel('Name', { exact: true }).fill('Behind TLS');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await page.getByRole('heading', title('Behind TLS')).waitFor();
        const projectPath = new URL(page.url()).pathname;
        expect(projectPath).toMatch(new RegExp(`^${base}/projects/[0-9a-f-]+$`));

        const projectId = projectPath.split('/').at(-1);
        const metric = await call('POST', `/projects/${projectId}/metrics`, {
          name: 'Helpful',
          evalType: 'human',
          outputType: 'boolean',
        });
        const run = await call('POST', `/projects/${projectId}/runs`, { metricIds: [metric.id] });
        const add = (text: string) =>
          call('POST', `/runs/${run.id}/records`, { inputs: { text }, expected: {}, outputs: {} });
        const record = await add(largeText);
        await visitor.open(`${projectPath}/runs/${run.id}`);
        const state = page.getByRole('region', { name: 'State of the run' });
        await state.getByText('1 record', { exact: true }).waitFor();
        await add('B');
        await state.getByText('2 records', { exact: true }).waitFor();

        const exporting = page.waitForEvent('download');
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('button', { name: 'CSV' }).click();
        const file = await readFile(await (await exporting).path(), 'utf8');
        expect(file).toContain(record.id);

        await visitor.open(`${projectPath}/records/${record.id}?view=json`);
        await page.getByText('a line of text, and another one.').first().waitFor();

        await visitor.open(`${projectPath}/review`);
        await page.getByRole('button', { name: 'Set up a review' }).click();
        await page.getByRole('button', { name: 'Start the review' }).click();
        const dialog = page.getByRole('dialog', { name: 'The review is set up' });
        await dialog.getByText(`${proxy.origin}${projectPath}/review/go?run=${run.id}`).waitFor();
        await dialog.getByRole('link', { name: 'Start reviewing mine' }).click();
        await page.waitForURL(`**${projectPath}/review/go?**`);
        await visitor.open(projectPath);
        expect(visitor.complaints).toEqual([]);

        await page.getByRole('button', { name: /^Account: / }).click();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', title('Sign in to Assay')).waitFor();
        expect(await context.cookies()).toEqual([]);
      });

      test('is signed in to by a link of the operator', async () => {
        await using visitor = await visit();
        const { email } = (await call('GET', '/me')).member;
        await visitor.open(`${base}${await signInLink(stage.assay, email)}`);
        await visitor.page.getByRole('heading', title('Projects')).waitFor();
        expect(visitor.page.url()).toBe(`${proxy.origin}${base}/projects`);
        expect(visitor.complaints).toEqual([]);
      });
    },
    {
      options: async () => {
        proxy = await startTlsProxy();
        return { publicUrl: `${proxy.origin}${base}/v2` };
      },
    },
  );
});
