import { beforeAll, expect, test } from 'vitest';
import { type Call, callAt, type SharedInstallation, shareInstallation } from './installation.ts';
import { createTenant, type Tenant } from './tenant.ts';

let assay: SharedInstallation;
let tenant: Tenant;
let stranger: Call;
let me: string;
beforeAll(async () => {
  assay = await shareInstallation();
  tenant = await createTenant(assay.call);
  me = (await assay.call('GET', '/me')).body.member.userId;
  const { key } = await assay.newOrganization('Stranger');
  stranger = callAt(assay.url, key);
});

const things = ({ ids: { record, testcase, trace } }: Tenant) => [
  `/records/${record}/annotations`,
  `/testcases/${testcase}/annotations`,
  `/traces/${trace}/annotations`,
];
const comment = (text: string) => ({ comment: `<@${me}> ${text}` });
const listed = async (query = '') => {
  const { body } = await assay.call('GET', `/projects/${tenant.ids.project}/mentions?${query}`);
  const mentions = body.data as { about: string; comment: string }[];
  return { ...body, shown: mentions.map(({ about, comment }) => `${about}: ${comment}`) };
};

test('comments of all things that mention the caller are listed newest first, page by page', async () => {
  expect((await listed()).data).toEqual([]);
  const said = [];
  for (const turn of [1, 2])
    for (const [index, path] of things(tenant).entries()) {
      const reply = await assay.call('POST', path, comment(`${turn}`));
      expect(reply.status, reply.text).toBe(201);
      expect(reply.body.mentions).toEqual([me]);
      said.unshift(`${['record', 'testcase', 'trace'][index]}: <@${me}> ${turn}`);
    }
  expect((await listed()).shown).toEqual(said);
  const walked = [];
  let query = 'limit=2';
  for (;;) {
    const page = await listed(query);
    walked.push(...page.shown);
    if (page.nextCursor === null) break;
    query = `limit=2&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  expect(walked).toEqual(said);
});

test('a comment that no longer mentions somebody, and one that is deleted, is not listed', async () => {
  const before = (await listed()).shown;
  for (const path of things(tenant)) {
    const { id } = (await assay.call('POST', path, comment('again'))).body;
    expect((await listed()).shown).toHaveLength(before.length + 1);
    const changed = await assay.call('PATCH', `${path}/${id}`, { comment: 'nobody' });
    expect(changed.body).toMatchObject({ mentions: [], editedAt: expect.any(String) });
    expect((await listed()).shown).toEqual(before);
    await assay.call('PATCH', `${path}/${id}`, comment('you'));
    expect((await listed()).shown).toHaveLength(before.length + 1);
    expect((await assay.call('DELETE', `${path}/${id}`)).status).toBe(200);
    expect((await listed()).shown).toEqual(before);
  }
});

test('members of other organizations are not mentioned, and read and change nothing', async () => {
  const other = (await stranger('GET', '/me')).body.member.userId;
  for (const path of things(tenant)) {
    const refused = await assay.call('POST', path, { comment: `<@${other}>` });
    expect(refused.body.details.issues).toMatchObject([{ path: '/comment' }]);
    const { id } = (await assay.call('POST', path, comment('mine'))).body;
    for (const [method, below, body] of [
      ['PATCH', `${path}/${id}`, { comment: 'theirs' }],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', path, { comment: 'theirs' }],
    ] as const)
      expect((await stranger(method, below, body)).status).toBe(404);
    expect((await assay.call('DELETE', `${path}/${id}`)).status).toBe(200);
  }
  const path = `/projects/${tenant.ids.project}/mentions`;
  expect((await stranger('GET', path)).status).toBe(404);
});

test('what mentions somebody goes with its thing', async () => {
  const { project, run, testset, testcase, trace } = tenant.ids;
  for (const path of things(tenant)) await assay.call('POST', path, comment('here'));
  const abouts = async () => [
    ...new Set((await listed()).shown.map((shown: string) => shown.split(':')[0]!).toSorted()),
  ];
  expect(await abouts()).toEqual(['record', 'testcase', 'trace']);
  await assay.call('DELETE', `/runs/${run}`);
  expect(await abouts()).toEqual(['testcase', 'trace']);
  await assay.call('POST', '/testcases/bulk-delete', { ids: [testcase] });
  await assay.call('DELETE', `/traces/${trace}`);
  await assay.call('DELETE', `/testsets/${testset}`);
  expect(await abouts()).toEqual([]);
  await assay.call('DELETE', `/projects/${project}`);
  expect((await assay.call('GET', `/projects/${project}/mentions`)).status).toBe(404);
});
