import { startTcpProxy } from '@assay/testing/tcp-proxy';
import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

describeInBrowser('a run under way', (stage) => {
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;

  async function newRun() {
    const project = await call('POST', '/projects', { name: 'Live', description: '' });
    const metric = await call('POST', `/projects/${project.id}/metrics`, {
      name: 'Same',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    });
    const human = await call('POST', `/projects/${project.id}/metrics`, {
      name: 'Helpful',
      evalType: 'human',
      outputType: 'boolean',
    });
    const run = await call('POST', `/projects/${project.id}/runs`, {
      metricIds: [metric.id, human.id],
    });
    const add = (answer: string) =>
      call('POST', `/runs/${run.id}/records`, {
        inputs: { question: `Which is ${answer}?` },
        expected: { answer: 'A' },
        outputs: { answer },
      });
    return { path: `/projects/${project.id}/runs/${run.id}`, add };
  }

  test('counts what comes as it comes, and shows new records when asked', async () => {
    const { path, add } = await newRun();
    await add('A');
    await using visitor = await stage.visit();
    await visitor.open(path);
    const state = visitor.page.getByRole('region', { name: 'State of the run' });
    await state.getByText('1 record', { exact: true }).waitFor();
    const rows = visitor.page.getByRole('link', { name: /^Which is/ });
    await rows.first().waitFor();
    for (const answer of ['B', 'C']) await add(answer);
    await state.getByText('3 records', { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await visitor.page.getByRole('button', { name: '2 new records: show' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(visitor.complaints).toEqual([]);
  });

  test('goes on by itself after the gateway was away', async () => {
    const { path, add } = await newRun();
    await add('A');
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    await visitor.open(path);
    const state = visitor.page.getByRole('region', { name: 'State of the run' });
    await state.getByText('1 record', { exact: true }).waitFor();
    proxy.disturb({ kind: 'refuse' });
    proxy.end('reset');
    await add('B');
    proxy.heal();
    await state.getByText('2 records', { exact: true }).waitFor();
  });
});
