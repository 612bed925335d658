import { createHash, randomBytes } from 'node:crypto';
import {
  type Attack,
  type Attacker,
  bytes,
  get,
  newProject,
  newRun,
  newTestset,
  post,
  repeat,
  repeatSteps,
} from '../attack.ts';

const mebibyte = 1024 ** 2;
const largeBytes = 14 * mebibyte;
/** Nearly the 4 MiB of a testcase. */
const testcaseBytes = 3 * mebibyte;
const elements = (length: number) => `[${'{},'.repeat(length / 3 - 1)}{}]`;
const largeBody = `{"inputs":{},"expected":{},"outputs":{"x":${elements(largeBytes)}}}`;

/** A record whose output is nearly as large as one may be. */
export async function prepareLarge({ url, key, call }: Attacker): Promise<string> {
  const runId = await newRun(call, await newProject(call));
  const response = await fetch(`${url}/v2/runs/${runId}/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: largeBody,
  });
  if (!response.ok) throw new Error(`The large record: ${response.status}`);
  const { id } = (await response.json()) as { id: string };
  return id;
}

/** Attacks by single objects that are as large as they may be. */
export const largeAttacks: Attack[] = [
  {
    name: 'large records and testcases',
    prepare: async (attacker) => {
      const { call } = attacker;
      const recordId = await attacker.shared(prepareLarge);
      const projectId = await newProject(call);
      const runId = await newRun(call, projectId);
      const testsetId = await newTestset(call, projectId);
      const { items } = await call('POST', `/testsets/${testsetId}/testcases`, {
        items: [{ jsonData: { answer: 'a' } }],
      });
      const testcase = `/testcases/${items[0].id}`;
      return repeat(attacker, 8, [
        {
          kind: 'createRecord',
          method: 'POST',
          path: `/runs/${runId}/records`,
          body: largeBody,
        },
        get('getRecordPayload', `/records/${recordId}/payloads/outputs`, bytes(largeBytes)),
        {
          kind: 'updateTestcase',
          method: 'PUT',
          path: testcase,
          body: `{"jsonData":{"x":${elements(testcaseBytes)}}}`,
        },
        get('getTestcaseData', `${testcase}/data`, bytes(1)),
      ]);
    },
  },
  {
    name: 'attachments',
    prepare: async (attacker) => {
      const kinds = ['uploadAttachment', 'commitAttachment', 'downloadAttachment'];
      const sizeBytes = 8 * mebibyte;
      let turn = 0;
      return repeatSteps(attacker, { atOnce: 6, kinds }, async (send) => {
        const content = randomBytes(sizeBytes);
        const declared = await send(
          post('declareAttachment', '/attachments', {
            sessionId: 'attack',
            filePath: `file-${turn++}`,
            sha256: createHash('sha256').update(content).digest('hex'),
            sizeBytes,
            contentType: 'application/octet-stream',
          }),
        );
        if (declared === undefined) return;
        const { id, uploadUrl } = JSON.parse(String(declared));
        await send({
          kind: 'uploadAttachment',
          method: 'PUT',
          base: '',
          path: pathOf(uploadUrl),
          type: 'application/octet-stream',
          body: content,
        });
        await send({ kind: 'commitAttachment', method: 'POST', path: `/attachments/${id}/commit` });
        const { downloadUrl } = JSON.parse(
          String(await send(get('getAttachment', `/attachments/${id}`))),
        );
        await send({
          ...get('downloadAttachment', pathOf(downloadUrl), bytes(sizeBytes)),
          base: '',
        });
      });
    },
  },
];

/** The path of a signed URL, whose host is that of the public one. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
