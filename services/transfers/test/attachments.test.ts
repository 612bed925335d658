import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { asAnotherOrganization, linesOf, useTransfers } from './transferred-project.ts';
import { fileOf } from './written-file.ts';

const transfers = useTransfers({ config: { ATTACHMENTS_BYTES_MAX: 8_000_000 } });
const { create, request, attach, exportOf, importOf } = transfers;

/** More than two lines carry. */
const large = randomBytes(1_000_000);
const sha256Of = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A project with a record of each of these sessions. */
async function projectWith(...sessionIds: string[]): Promise<string> {
  const { id } = await create('/projects', { name: 'Attached', description: '' });
  const run = await create(`/projects/${id}/runs`, { metricIds: [] });
  for (const sessionId of [...sessionIds, ...sessionIds])
    await create(`/runs/${run.id}/records`, {
      inputs: {},
      expected: {},
      outputs: {},
      sessionId,
    });
  return id;
}

async function exported(query: string): Promise<string> {
  await attach('one', large, { filePath: 'trace.bin' });
  await attach('one', '', { filePath: 'empty' });
  await attach('two', large, { filePath: 'again.bin' });
  return (await exportOf(await projectWith('one', 'two'), { query })).text;
}

const attachmentsOf = async (sessionId: string, as: object) =>
  (await request('GET', `/sessions/${sessionId}/attachments`, undefined, as)).body.data;

/** The last line of an import's answer. */
const answerOf = async (file: string, as: object) => linesOf(await importOf(file, as)).at(-1);

/** The contents that an organization keeps. */
async function contentsOf({ identity }: ReturnType<typeof asAnotherOrganization>) {
  const folder = `${transfers.folder()}/${identity.organizationId}`;
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => /[0-9a-f]{64}$/.test(name));
}

describe('a project whose attachments are included', () => {
  test('has each content once, and brings it to another organization, where the sessions have the same files', async () => {
    const file = await exported('?attachments=include');
    const kinds = linesOf({ text: file }).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'attachment')).toHaveLength(3);
    expect(kinds.filter((kind) => kind === 'attachmentBytes')).toHaveLength(3);
    const as = asAnotherOrganization();
    expect(await answerOf(file, as)).toMatchObject({
      done: true,
      attachments: { attached: 3, present: 0, different: 0, missing: 0, missingAttachments: [] },
    });
    expect(await contentsOf(as)).toHaveLength(2);
    const [trace, empty] = await attachmentsOf('one', as);
    expect(empty).toMatchObject({ filePath: 'empty', sizeBytes: 0 });
    expect(trace).toMatchObject({
      filePath: 'trace.bin',
      sizeBytes: large.length,
      sha256: sha256Of(large),
      contentType: 'text/plain',
      metadata: { by: 'the client' },
      status: 'uploaded',
    });
    expect(await transfers.download(trace.id, as)).toEqual(large);

    expect((await answerOf(file, as)).attachments).toMatchObject({ attached: 0, present: 3 });
  });

  test('does not change what a session has already', async () => {
    const file = await exported('?attachments=include');
    await attach('one', 'newer', { filePath: 'trace.bin' });
    expect((await answerOf(file, {})).attachments).toMatchObject({ present: 2, different: 1 });
    const [trace] = await attachmentsOf('one', {});
    expect(trace.sha256).toBe(sha256Of('newer'));
  });

  test('is refused where its bytes are not those of the hash, and leaves no content and no attachment', async () => {
    const file = await exported('?attachments=include');
    const lines = file.trimEnd().split('\n').slice(0, -1);
    const at = lines.findIndex((line) => line.startsWith('{"kind":"attachmentBytes"'));
    const changed = lines.with(at, lines[at]!.replace(/"base64":"..../, '"base64":"AAAA'));
    const short = lines.toSpliced(at, 1);
    for (const wrong of [changed, short]) {
      const as = asAnotherOrganization();
      const { status, message } = await answerOf(fileOf(...wrong), as);
      expect([status, message]).toEqual([400, expect.stringMatching(/Line \d+: .*trace\.bin/)]);
      expect(await attachmentsOf('one', as)).toEqual([]);
      await poll('nothing is left', async () => (await contentsOf(as)).length === 0);
    }
    const lonely = lines.toSpliced(at - 1, 1);
    const { message } = await answerOf(fileOf(...lonely), asAnotherOrganization());
    expect(message).toMatch(/must follow an attachment/);
  });

  test('leaves nothing where it is cut off after its attachments, or is past the quota', async () => {
    const file = await exported('?attachments=include');
    const as = asAnotherOrganization();
    const cut = await answerOf(file.replace(/\{"kind":"end".*\n/, ''), as);
    expect(cut.message).toMatch(/is not whole/);
    expect(await attachmentsOf('one', as)).toEqual([]);
    await poll('its bytes are removed', async () => (await contentsOf(as)).length === 0);

    await attach('other', Buffer.alloc(7_500_000), { as });
    const full = await answerOf(file, as);
    expect(full).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('no room for 1000000 more'),
    });
    expect(await attachmentsOf('one', as)).toEqual([]);
  });
});

test('an import without the bytes takes those that are here by their hash, and names those that are missing', async () => {
  const file = await exported('?attachments=list');
  const as = asAnotherOrganization();
  const answer = await answerOf(file, as);
  const missing = { sizeBytes: large.length, sha256: sha256Of(large) };
  expect(answer).toMatchObject({
    done: true,
    attachments: {
      attached: 1,
      missing: 2,
      missingAttachments: [
        { sessionId: 'one', filePath: 'trace.bin', ...missing },
        { sessionId: 'two', filePath: 'again.bin', ...missing },
      ],
    },
  });
  await attach('elsewhere', large, { as });
  expect((await answerOf(file, as)).attachments).toMatchObject({ attached: 2, present: 1 });
  expect((await attachmentsOf('two', as))[0]).toMatchObject(missing);
});
