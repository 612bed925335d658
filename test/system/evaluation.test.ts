import { beforeAll, expect, test } from 'vitest';
import { evaluate } from './evaluation.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';

let assay: SharedInstallation;
beforeAll(async () => {
  assay = await shareInstallation();
});

test('an evaluation from end to end: testset, system, run, records, scores made by the service, summary', async () => {
  const { run, testcases, summary } = await evaluate(assay.call);
  expect(summary.metrics[0]).toMatchObject({
    name: 'Same',
    count: 4,
    failed: 0,
    mean: 0.75,
    passRate: 0.75,
    method: 'Wilson score',
  });
  const records = (await assay.call('GET', `/runs/${run.id}/records`)).body.data;
  expect(records.map((record: { testcaseId: string }) => record.testcaseId)).toEqual(
    testcases.map(({ id }: { id: string }) => id),
  );
  expect(
    records.map(
      (record: { scores: { score: { value: boolean } }[] }) => record.scores[0]!.score.value,
    ),
  ).toEqual([true, true, true, false]);
});

test('the same routes answer under /api/v2', async () => {
  expect((await assay.call('GET', '/api/v2/projects')).body).toEqual(
    (await assay.call('GET', '/v2/projects')).body,
  );
});

test('when a project is deleted, all that is in it answers 404 at once', async () => {
  const { project, testset, testcases, metric, system, run } = await evaluate(assay.call);
  const record = (await assay.call('GET', `/runs/${run.id}/records?limit=1`)).body.data[0];
  const group = (
    await assay.call('POST', `/projects/${project.id}/metric-groups`, {
      name: 'g',
      metricIds: [metric.id],
    })
  ).body;
  expect((await assay.call('DELETE', `/projects/${project.id}`)).body).toEqual({ success: true });
  const within = ['', '/testsets', '/metrics', '/metric-groups', '/systems', '/runs'].map(
    (part) => `/projects/${project.id}${part}`,
  );
  const parts = [
    `/testsets/${testset.id}`,
    `/testcases/${testcases[0].id}`,
    `/metrics/${metric.id}`,
    `/metric-groups/${group.id}`,
    `/systems/${system.id}`,
  ];
  const versions = [
    `/systems/versions/${system.productionVersion.id}`,
    `/runs/${run.id}`,
    `/runs/${run.id}/summary`,
    `/records/${record.id}`,
  ];
  for (const path of [...within, ...parts, ...versions])
    expect((await assay.call('GET', path)).status, path).toBe(404);
});

test('an attachment goes up and comes down by the signed URLs alone', async () => {
  const { createHash } = await import('node:crypto');
  const bytes = Buffer.from('a log line\n');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const declaration = {
    sessionId: 's/1',
    filePath: 'log.txt',
    sha256,
    sizeBytes: bytes.length,
    contentType: 'text/plain',
  };
  const { id, uploadUrl } = (await assay.call('POST', '/attachments', declaration)).body;
  expect((await assay.call('POST', `/attachments/${id}/commit`)).status).toBe(409);
  expect(
    (
      await fetch(uploadUrl, {
        method: 'PUT',
        body: bytes,
        headers: { 'content-type': 'text/plain' },
      })
    ).status,
  ).toBe(200);
  expect((await assay.call('POST', `/attachments/${id}/commit`)).body.status).toBe('uploaded');
  const { downloadUrl } = (await assay.call('GET', `/attachments/${id}`)).body;
  expect(await (await fetch(downloadUrl)).text()).toBe('a log line\n');
  expect(
    (await assay.call('GET', `/sessions/${encodeURIComponent('s/1')}/attachments`)).body.data,
  ).toHaveLength(1);
});

test("what another organization's key asks for does not exist", async () => {
  const { identity } = await import('@assay/contracts/identity');
  const { connectBus } = await import('@assay/runtime/bus/bus');
  const { createLog } = await import('@assay/runtime/log');
  const { createOrganization } = await import('@assay/local/organization');
  const { config } = assay;
  const log = createLog({ name: 'test', level: 'silent' });
  const operatorSecret = config.ASSAY_OPERATOR_SECRET;
  const bus = await connectBus({
    urls: config.NATS_URL,
    name: 'test',
    prefix: config.SUBJECT_PREFIX,
    operatorSecret,
    log,
  });
  const { key } = await createOrganization(bus.asks(identity).identity, { name: 'Other' });
  await bus.drain();
  const { project, testset, testcases, metric, system, run } = await evaluate(assay.call);
  const paths = [
    `/projects/${project.id}`,
    `/testsets/${testset.id}`,
    `/testcases/${testcases[0].id}`,
    `/metrics/${metric.id}`,
    `/systems/${system.id}`,
    `/runs/${run.id}`,
  ];
  for (const path of paths) {
    const foreign = await assay.call('GET', path, undefined, { key });
    const absent = await assay.call(
      'GET',
      path.replace(/[0-9a-f]{12}$/, '000000000000'),
      undefined,
      { key },
    );
    expect(foreign.status, path).toBe(404);
    expect({ ...foreign.body, details: {} }).toEqual({ ...absent.body, details: {} });
  }
  expect((await assay.call('GET', '/projects', undefined, { key })).body.data).toEqual([]);
});
