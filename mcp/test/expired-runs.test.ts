import { expect, test } from 'vitest';
import { expiredProjectFile } from '../../services/transfers/test/expired-project.ts';
import { shareInstallation } from '../../test/system/installation.ts';
import { connectAgent } from './agent.ts';

test('overview, find and run_status say that a run expired, and run_status tells the results that were kept', async () => {
  const assay = await shareInstallation();
  const { text } = await assay.call('POST', '/projects/import', undefined, {
    raw: expiredProjectFile(),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const { projectId } = JSON.parse(text.trim().split('\n').at(-1)!);
  await using agent = await connectAgent(assay);
  const expiredAt = '2026-03-01T08:00:00.000Z';
  const { projects } = await agent.call('overview', { projectId });
  const [run] = projects[0].latestRuns;
  expect(run).toMatchObject({ expiredAt, results: [{ name: 'Correct', mean: 0.75 }] });
  expect((await agent.call('find', { text: 'Old' })).found).toMatchObject([{ expiredAt }]);
  const status = await agent.call('run_status', { runId: run.id });
  expect(status.summary).toContain(
    'It expired on 2026-03-01: its records are gone, its results were kept.',
  );
  expect(status).toMatchObject({ expiredAt, metrics: [{ mean: 0.75 }], failures: [] });
});
