import { volume } from '@assay/testing/volume';
import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

const mebibyte = 1024 * 1024;

/** Of a whole count, how much of it a text has. */
type Part = (whole: number) => number;

/** JSON texts of about 15 MiB, or of a part of that, each the worst of its kind. */
const shapes: Record<string, (part: Part) => string> = {
  'chat messages': (part) => {
    const message = (index: number) =>
      `{"role":"${index % 2 ? 'user' : 'assistant'}","content":"Message ${index} ${'word '.repeat(40)}"}`;
    const messages = Array.from({ length: part(58_000) }, (_, index) => message(index));
    return `{"messages":[${messages.join(',')}]}`;
  },
  'one string': (part) => `{"text":"${'a'.repeat(part(14.9 * mebibyte))}"}`,
  'a string of escapes': (part) => `{"text":"${'\\u00e9'.repeat(part(2.45 * mebibyte))}"}`,
  numbers: (part) => `{"numbers":[${'1,'.repeat(part(7.4 * mebibyte))}1]}`,
  'empty lists': (part) => `{"lists":[${'[],'.repeat(part(4.9 * mebibyte))}[]]}`,
  'lists in lists': () => `{"deep":${'['.repeat(400)}${']'.repeat(400)}}`,
};

describeInBrowser('a payload of 15 MiB, or of the part of that which is tested,', (stage) => {
  test.each(Object.keys(shapes))(
    'of %s is shown, searched and folded, and no digit is lost',
    async (name) => {
      const { call } = stage.assay;
      const project = (await call('POST', '/projects', { name, description: '' })).body;
      const run = (await call('POST', `/projects/${project.id}/runs`, { metricIds: [] })).body;
      const record = await call('POST', `/runs/${run.id}/records`, undefined, {
        raw: `{"inputs":{"number":12345678901234567890.10},"expected":{},"outputs":${shapes[name]!(volume)}}`,
        headers: { 'content-type': 'application/json' },
      });
      expect(record.status, record.text.slice(0, 200)).toBe(201);
      await using visit = await stage.visit();
      await visit.open(`/projects/${project.id}/records/${record.body.id}`);
      const outputs = visit.page.getByRole('region', { name: 'Outputs' });
      await outputs.getByRole('button', { name: 'Find' }).waitFor();
      await visit.page
        .getByRole('region', { name: 'Inputs' })
        .getByText('12345678901234567890.10')
        .waitFor();
      await outputs.getByLabel('View of Outputs').selectOption('json');
      await outputs.getByRole('treeitem').first().waitFor();
      await expect.poll(() => outputs.getByRole('treeitem').count()).toBeLessThan(200);
      expect(visit.complaints).toEqual([]);
    },
  );

  test('on a slow connection shows its beginning while the rest comes', async () => {
    const { call } = stage.assay;
    const project = (await call('POST', '/projects', { name: 'Slow', description: '' })).body;
    const run = (await call('POST', `/projects/${project.id}/runs`, { metricIds: [] })).body;
    const record = await call('POST', `/runs/${run.id}/records`, undefined, {
      raw: `{"inputs":{},"expected":{},"outputs":${shapes['chat messages']!((whole) => whole)}}`,
      headers: { 'content-type': 'application/json' },
    });
    await using visitor = await stage.visit();
    const network = await visitor.context.newCDPSession(visitor.page);
    await visitor.open(`/projects/${project.id}/runs/${run.id}`);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 50,
      downloadThroughput: mebibyte,
      uploadThroughput: mebibyte,
    });
    await visitor.page.locator(`a[href*="${record.body.id}"]`).first().click();
    const outputs = visitor.page.getByRole('region', { name: 'Outputs' });
    await outputs.getByText('Message 0 word').first().waitFor();
    await expect.poll(() => outputs.getByText(/ of 1\d MiB …/).count()).toBe(1);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    await outputs.getByRole('button', { name: 'Find' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
