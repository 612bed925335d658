import { expect, test } from 'vitest';
import { createProject, linesOf, useTransfers } from './transferred-project.ts';

const transfers = useTransfers({ config: { RECORDS_MAX: 10 } });
const { exportOf, importOf, request } = transfers;

test('an import past the quota of records is a 409 with its reason, and leaves nothing', async () => {
  const { project } = await createProject(transfers);
  const answer = await importOf((await exportOf(project.id)).text);
  expect(linesOf(answer).at(-1)).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    message: expect.stringContaining('may keep 10 records'),
  });
  const { data } = (await request('GET', '/projects')).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([project.id]);
});
