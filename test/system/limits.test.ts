import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LimitChange, OrganizationUsage } from '@assay/contracts/limits';
import { operatorIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { beforeEach, expect, test } from 'vitest';
import { root } from '../imports.ts';
import { callAt, type SharedInstallation, shareInstallation } from './installation.ts';

let assay: SharedInstallation;
let organizationId: string;
beforeEach(async () => {
  assay = await shareInstallation();
  organizationId = (await assay.call('GET', '/organization')).body.id;
});

const setLimits = (change: LimitChange) =>
  assay.asOperator((ask) => ask.setLimits(operatorIdentity, { organizationId, change }));

const create = async (path: string, body: unknown) => (await assay.call('POST', path, body)).body;

async function newRun(): Promise<string> {
  const project = await create('/projects', { name: 'Limited', description: '' });
  return (await create(`/projects/${project.id}/runs`, { metricIds: [] })).id;
}

const attempt = async (
  [method, path, body]: [string, string, unknown],
  call: SharedInstallation['call'] = assay.call,
) => {
  const { status, body: answer } = await call(method, path, body);
  return { status, message: answer.message as string | undefined };
};

const record = { inputs: { question: 'a' }, expected: {}, outputs: { answer: 'b' } };

const attachment = (bytes: number) => ({
  sessionId: 'limited',
  filePath: 'file.txt',
  contentType: 'text/plain',
  sha256: createHash('sha256').update(String(bytes)).digest('hex'),
  sizeBytes: bytes,
});

const spans = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'limited' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              name: 'chat',
              startTimeUnixNano: '1790000000000000000',
              endTimeUnixNano: '1790000001000000000',
            },
          ],
        },
      ],
    },
  ],
};

test("an organization's own limits hold in each service, for it alone, and go when they are taken back", async () => {
  const runId = await newRun();
  const requests: [LimitChange, [string, string, unknown], number, RegExp][] = [
    [
      { recordsMax: 0 },
      ['POST', `/runs/${runId}/records`, record],
      409,
      /^Your organization may keep 0 records .*ask your operator for more\.$/,
    ],
    [
      { attachmentsBytesMax: 9 },
      ['POST', '/attachments', attachment(10)],
      409,
      /^The attachments of your organization may take 9 bytes .*ask your operator for more\.$/,
    ],
    [
      { traceBytesPerDayMax: 9 },
      ['POST', '/otel/v1/traces', spans],
      429,
      /^Your organization may send 9 bytes of spans a day .*ask your operator for more\.$/,
    ],
  ];
  for (const [limits, request, status, sentence] of requests) {
    await setLimits(limits);
    const refused = await poll('the limit is heard of', async () => {
      const tried = await attempt(request);
      return tried.status >= 400 && tried;
    });
    expect(refused).toEqual({ status, message: expect.stringMatching(sentence) });
  }
  const { key } = await assay.newOrganization('Another');
  const elsewhere = callAt(assay.url, key);
  await elsewhere('POST', '/projects', { name: 'p', description: '' });
  for (const [, request] of requests.slice(1))
    expect((await attempt(request, elsewhere)).status).toBeLessThan(300);

  await setLimits({ recordsMax: null, attachmentsBytesMax: null, traceBytesPerDayMax: null });
  for (const [, request] of requests)
    await poll('the limit is gone', async () => (await attempt(request)).status < 300);
});

test("the gateway refuses what is over an organization's own requests in a minute", async () => {
  const get = () => assay.call('GET', '/organization');
  expect((await get()).headers.get('ratelimit-limit')).toBe('1000000');
  await setLimits({ requestsPerMinute: 2 });
  const refused = await poll('the limit is heard of', async () => {
    const reply = await get();
    return reply.status === 429 && reply;
  });
  expect(refused.headers.get('ratelimit-limit')).toBe('2');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.body.message).toBe(
    'The organization sent more than 2 requests in a minute. Send fewer, or ask your operator for more.',
  );
  await setLimits({ requestsPerMinute: null });
  await poll('the limit is gone', async () => (await get()).status === 200);
});

test('every member reads what the organization has used, and its limits', async () => {
  const usageOf = async (call = assay.call): Promise<OrganizationUsage> => {
    const { status, body } = await call('GET', '/organization/usage');
    expect(status).toBe(200);
    return body;
  };
  const resetsAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  const unused: OrganizationUsage = {
    records: { used: 0, limit: null },
    attachmentBytes: { used: 0, limit: null },
    traceBytesPerDay: { used: 0, limit: null, resetsAt },
    judgeUsdPerDay: { used: 0, limit: null, resetsAt },
    requestsPerMinute: { limit: 1_000_000 },
  };
  expect(await usageOf()).toEqual(unused);

  const runId = await newRun();
  await create(`/runs/${runId}/records`, record);
  await create('/attachments', attachment(10));
  await assay.call('POST', '/otel/v1/traces', spans);
  await setLimits({ recordsMax: 5, requestsPerMinute: 900, judgeBudgetUsdPerDay: 0.5 });
  const { traceBytesPerDay, ...usage } = await usageOf();
  expect(usage).toEqual({
    records: { used: 1, limit: 5 },
    attachmentBytes: { used: 10, limit: null },
    judgeUsdPerDay: { used: 0, limit: 0.5, resetsAt },
    requestsPerMinute: { limit: 900 },
  });
  expect(traceBytesPerDay.used).toBeGreaterThan(10);

  const member = (await create('/api-keys', { name: 'Plain', role: 'member' })).key;
  expect(await usageOf(callAt(assay.url, member))).toEqual({ traceBytesPerDay, ...usage });
  const { key } = await assay.newOrganization('Another');
  expect(await usageOf(callAt(assay.url, key))).toEqual(unused);
});

test("the operator's command shows each limit, whose it is and what is used, and sets and takes back", async () => {
  const limits = async (...words: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'dist/bundle/admin.js'), 'limits', organizationId, ...words],
      {
        env: {
          ...process.env,
          NATS_URL: assay.config.NATS_URL.join(','),
          SUBJECT_PREFIX: assay.config.SUBJECT_PREFIX,
          ASSAY_OPERATOR_SECRET: assay.config.ASSAY_OPERATOR_SECRET,
        },
      },
    );
    return stdout.trimEnd().split('\n');
  };
  await create('/attachments', attachment(1536));
  expect(await limits()).toEqual([
    'LIMIT                    VALUE  SOURCE                  USED',
    'records                   none  of the installation        0',
    'attachment-bytes          none  of the installation  1.5 KiB',
    'trace-bytes-per-day       none  of the installation      0 B',
    'requests-per-minute  1,000,000  of the installation        –',
    'judge-budget              none  of the installation    0 USD',
  ]);
  expect(
    await limits(
      'records=5000000',
      'attachment-bytes=1500',
      'trace-bytes-per-day=10GiB',
      'requests-per-minute=600',
      'judge-budget=25.5',
    ),
  ).toEqual([
    'The limits are set. They hold everywhere within ten seconds.',
    'LIMIT                    VALUE  SOURCE         USED',
    'records              5,000,000  of its own        0',
    'attachment-bytes       1.5 KiB  of its own  1.5 KiB',
    'trace-bytes-per-day     10 GiB  of its own      0 B',
    'requests-per-minute        600  of its own        –',
    'judge-budget          25.5 USD  of its own    0 USD',
  ]);
  expect((await limits('records=default', 'judge-budget=0')).slice(2)).toEqual([
    'records                 none  of the installation        0',
    'attachment-bytes     1.5 KiB  of its own           1.5 KiB',
    'trace-bytes-per-day   10 GiB  of its own               0 B',
    'requests-per-minute      600  of its own                 –',
    'judge-budget           0 USD  of its own             0 USD',
  ]);
});
