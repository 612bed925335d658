import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { config, identity, newMember, newRecord, newRun, newTestset, request } = useRunRecords();

const mentioning = (...userIds: string[]) => userIds.map((userId) => `<@${userId}>`).join(' ');
async function newPlace() {
  const { id: runId } = await newRun();
  const { id } = (await newRecord(runId)).body;
  return { runId, path: `/records/${id}/annotations` };
}

test('an annotation is changed by its author alone, and deleted by an admin too', async () => {
  const [author, other] = [await newMember(), await newMember()];
  const { path } = await newPlace();
  const made = (await request('POST', path, { comment: 'Too shrt' }, asMember(author))).body;
  expect(made).toMatchObject({ mentions: [], editedAt: null, comparedRecordId: null });
  const own = `${path}/${made.id}`;
  for (const who of [asMember(other), { identity: identity() }])
    expect((await request('PATCH', own, { comment: 'Mine' }, who)).status).toBe(403);
  const changed = await request('PATCH', own, { comment: 'Too short' }, asMember(author));
  expect(changed.body).toEqual({
    ...made,
    comment: 'Too short',
    editedAt: expect.any(String),
  });
  expect((await request('GET', path)).body.data).toEqual([changed.body]);
  const nothing = await request('PATCH', own, { comment: '' }, asMember(author));
  expect(nothing.body.message).toContain('must have a rating or a comment');
  expect((await request('DELETE', own, undefined, asMember(other))).status).toBe(403);
  expect((await request('DELETE', own)).status).toBe(200);
  expect((await request('DELETE', own)).status).toBe(404);
  expect((await request('GET', path)).body.data).toEqual([]);
});

test('a record without its last annotation is listed as one without', async () => {
  const { runId, path } = await newPlace();
  const [first, second] = [
    (await request('POST', path, { comment: '1' })).body,
    (await request('POST', path, { comment: '2' })).body,
  ];
  const counted = async () =>
    (await request('GET', `/runs/${runId}/records?hasAnnotations=true`)).body.data.length;
  await request('DELETE', `${path}/${first.id}`);
  expect(await counted()).toBe(1);
  await request('DELETE', `${path}/${second.id}`);
  expect(await counted()).toBe(0);
});

test('a record has 1,000 annotations at most, also where several are written at once', async () => {
  const { path } = await newPlace();
  const { id: _id, ...first } = (await request('POST', path, { rating: true })).body;
  const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = config();
  const database = await openDatabase({
    uri,
    name: `${prefix}_run-records`,
  });
  const { organizationId } = identity();
  await database
    .collection<{ _id: string }>('annotations')
    .insertMany(Array.from({ length: 997 }, () => ({ ...first, _id: newId(), organizationId })));
  await database.close();
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => request('POST', path, { rating: true })),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400, 400, 400]);
});

test('a comment mentions members of the organization only, 20 at most', async () => {
  const { path } = await newPlace();
  const members = await Promise.all(Array.from({ length: 21 }, newMember));
  const [ada, grace] = members as [string, string];
  const made = await request('POST', path, { comment: `${mentioning(ada, grace, ada)} look` });
  expect(made.body.mentions).toEqual([ada, grace]);
  const stranger = await request('POST', path, { comment: mentioning(ada, missingId) });
  expect(stranger.body.details.issues).toEqual([
    {
      path: '/comment',
      message: `mentions ${missingId}, who does not belong to this organization`,
    },
  ]);
  const many = await request('POST', path, { comment: mentioning(...members) });
  expect(many.body.details.issues).toEqual([
    { path: '/comment', message: 'must mention at most 20 people' },
  ]);
  for (const comment of ['<@everybody>', '<@>', `<@${ada}`, `<@ ${ada}>`, '<script>@ada</script>'])
    expect((await request('POST', path, { comment })).body).toMatchObject({
      comment,
      mentions: [],
    });
});

test('a comment about a pair names a record of the same testcase in another run', async () => {
  const { testset, testcaseIds } = await newTestset(2);
  const of = async (testcaseId: string | undefined, runId?: string) => {
    const run = runId ?? (await newRun({ testsetId: testset })).id;
    return { run, id: (await newRecord(run, { testcaseId })).body.id as string };
  };
  const baseline = await of(testcaseIds[0]);
  const candidate = await of(testcaseIds[0]);
  const path = `/records/${candidate.id}/annotations`;
  const body = { comment: 'This one is better', comparedRecordId: baseline.id };
  expect((await request('POST', path, body)).body).toMatchObject(body);
  const others = [
    ['', 'does not belong to this organization'],
    [missingId, 'does not belong to this organization'],
    [(await of(testcaseIds[1])).id, 'must be of the same testcase in another run'],
    [(await of(testcaseIds[0], candidate.run)).id, 'must be of the same testcase in another run'],
  ];
  for (const [comparedRecordId, message] of others) {
    const refused = await request('POST', path, { ...body, comparedRecordId });
    expect(refused.body.details.issues).toEqual([{ path: '/comparedRecordId', message }]);
  }
});
