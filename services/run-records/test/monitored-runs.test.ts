import { newId } from '@assay/runtime/ids';
import { asScoring, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { request, projectId } = useRunRecords();

const open = (id: string) =>
  request(
    'POST',
    '/internal/monitored-runs',
    { id, projectId: projectId(), name: 'Watched', metricIds: [], budgetUsd: null },
    asScoring,
  );

test('the run of a monitor’s day is opened once, whoever opens it in the same moment', async () => {
  const ids = Array.from({ length: 40 }, () => newId());
  const replies = await Promise.all(ids.flatMap((id) => [open(id), open(id), open(id), open(id)]));
  expect(replies.map(({ status, text }) => (status === 200 ? status : text))).toEqual(
    replies.map(() => 200),
  );
});

test('the run of a monitor’s day that somebody deleted is not opened again', async () => {
  const id = newId();
  await open(id);
  expect((await request('DELETE', `/runs/${id}`)).status).toBe(200);
  expect((await open(id)).status).toBe(404);
});
