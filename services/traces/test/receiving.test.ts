import { writeRequest } from '@assay/otlp/cut-by-trace';
import { readSpansOfJson } from '@assay/otlp/json/read-spans';
import { openDatabase } from '@assay/runtime/mongo/database';
import { poll } from '@assay/testing/poll';
import { missingId } from '@assay/testing/run-records';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exportOf, newSpanId, newTraceId, useTraces } from './setting.ts';

const setting = useTraces();
const { send, get, settled } = setting;

const inProject = () => ({ 'assay.project_id': setting.projectId(), 'service.name': 'bot' });
const namesOf = async (traceId: string): Promise<string[]> =>
  (await get(`/traces/${traceId}/spans`)).data.map(({ name }: { name: string }) => name);

describe('spans that are answered', () => {
  test('are there, with the head of their trace, before anything is settled', async () => {
    const traceId = newTraceId();
    const spans = [
      { traceId, name: 'later', start: 5, parentSpanId: newSpanId() },
      { traceId, name: 'root', durationMs: 20 },
    ];
    expect(await send(exportOf(spans, inProject()))).toMatchObject({ status: 200, body: {} });
    expect(await get(`/traces/${traceId}`)).toMatchObject({
      name: 'root',
      serviceName: 'bot',
      projectId: setting.projectId(),
      isProjectGuessed: false,
      durationMs: 20,
      numSpans: 2,
      isSettled: false,
    });
    expect(await namesOf(traceId)).toEqual(['root', 'later']);
  });

  test('in protobuf are those of JSON, and are answered in protobuf', async () => {
    const traceId = newTraceId();
    const bytes = writeRequest(
      readSpansOfJson(JSON.stringify(exportOf([{ traceId, name: 'binary' }], inProject()))),
    );
    const reply = await send('', '/v1/traces', {
      raw: bytes,
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/x-protobuf',
    ]);
    expect(await namesOf(traceId)).toEqual(['binary']);
  });

  test('that come again, in any order and in other requests, are there once, and so their trace settles', async () => {
    const traceId = newTraceId();
    const rootId = newSpanId();
    const spans = [
      { traceId, spanId: rootId, name: 'root', durationMs: 30 },
      { traceId, spanId: newSpanId(), parentSpanId: rootId, name: 'b', start: 1 },
      {
        traceId,
        spanId: newSpanId(),
        parentSpanId: rootId,
        name: 'c',
        start: 2,
        status: { code: 2 },
      },
    ];
    const whole = exportOf(spans, inProject());
    const single = whole.resourceSpans[0]!.scopeSpans[0]!.spans.map((span) => ({
      resourceSpans: [{ ...whole.resourceSpans[0], scopeSpans: [{ spans: [span] }] }],
    }));
    for (const body of [whole, ...single.toReversed(), whole]) await send(body);
    expect(await settled(traceId)).toMatchObject({ numSpans: 3, numErrors: 1, durationMs: 30 });
    expect(await namesOf(traceId)).toEqual(['root', 'b', 'c']);
    await send(exportOf([{ traceId, parentSpanId: rootId, name: 'd', start: 3 }], inProject()));
    expect(await get(`/traces/${traceId}`)).toMatchObject({ numSpans: 4, isSettled: false });
  });

  test('of a hundred requests at once are all there', async () => {
    const traceId = newTraceId();
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        send(exportOf([{ traceId, name: `s${n}`, parentSpanId: newSpanId() }], inProject())),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await namesOf(traceId)).size).toBe(100);
    expect(await get(`/traces/${traceId}`)).toMatchObject({ numSpans: 100 });
  });
});

test('spans tell what they and their lists take on disk, and how old the oldest are', async () => {
  await send(exportOf([{}], inProject()));
  const measured = async (name: string) => {
    const text = await (await fetch(`${setting.world().urls.traces}/metrics`)).text();
    return Number(new RegExp(`^${name}\\{.*\\} (.*)$`, 'm').exec(text)?.[1]);
  };
  expect(await measured('assay_oldest_span_seconds')).toBeGreaterThan(0);
  const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = setting.world().config;
  const database = await openDatabase({ uri, name: `${prefix}_traces` });
  onTestFinished(() => database.close());
  const takenBy = async (name: string): Promise<number> => {
    const sizes = database
      .collection(name)
      .aggregate<{ storageStats: { totalSize: number } }>([{ $collStats: { storageStats: {} } }]);
    return (await sizes.toArray())[0]!.storageStats.totalSize;
  };
  // Both grow when the database writes its files, which it does at times of its own.
  await poll('the gauge has both', async () => {
    const both = (await takenBy('trace_parts')) + (await takenBy('span_lists'));
    return both > 0 && (await measured('assay_trace_bytes')) === both;
  });
});

describe('the project of spans', () => {
  const projectOf = async (traceId: string) => {
    const { projectId, isProjectGuessed } = await get(`/traces/${traceId}`);
    return [projectId, isProjectGuessed];
  };

  test('is the one that they name, or else their resource, or else the address or a header', async () => {
    const [first, other] = [setting.projectId(), setting.otherProjectId()];
    const [bySpan, byResource, byAddress] = [newTraceId(), newTraceId(), newTraceId()];
    const byHeader = newTraceId();
    const attributes = { 'scorecard.project_id': other };
    await send(exportOf([{ traceId: bySpan, attributes }], { 'assay.project_id': first }));
    await send(exportOf([{ traceId: byResource }], { 'scorecard.project_id': other }));
    await send(exportOf([{ traceId: byAddress }]), `/v1/traces?projectId=${other}`);
    await send(exportOf([{ traceId: byHeader }]), '/v1/traces', {
      headers: { 'content-type': 'application/json', 'x-assay-project': other },
    });
    for (const traceId of [bySpan, byResource, byAddress, byHeader])
      expect(await projectOf(traceId)).toEqual([other, false]);
  });

  test('is the oldest where they name none, or one that is not there, until a later span names one', async () => {
    const [none, wrong] = [newTraceId(), newTraceId()];
    await send(exportOf([{ traceId: none, parentSpanId: newSpanId() }]));
    await send(exportOf([{ traceId: wrong }], { 'scorecard.project_id': missingId }));
    expect(await projectOf(none)).toEqual([setting.projectId(), true]);
    expect(await projectOf(wrong)).toEqual([setting.projectId(), true]);
    await send(exportOf([{ traceId: none }], { 'assay.project_id': setting.otherProjectId() }));
    expect(await projectOf(none)).toEqual([setting.otherProjectId(), false]);
  });

  test('is missing where the organization has none, which is told in a sentence', async () => {
    const identity = { organizationId: missingId };
    const reply = await send(exportOf([{}]), '/v1/traces', { identity });
    expect([reply.status, reply.body.message]).toEqual([
      409,
      'The organization has no project: create one, and spans can be kept.',
    ]);
  });
});

describe('log records about a span', () => {
  const logsOf = (traceId: string, spanId: string) => {
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const messages = (role: string, content: string) =>
      JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    const record = (eventName: string, attributes: object[]) => ({
      timeUnixNano: `${Date.now()}000000`,
      eventName,
      traceId,
      spanId,
      attributes,
    });
    const details = record('gen_ai.client.inference.operation.details', [
      text('gen_ai.input.messages', messages('user', 'Where is my parcel?')),
      text('gen_ai.output.messages', messages('assistant', 'It arrives tomorrow.')),
    ]);
    const score = record('gen_ai.evaluation.result', [
      text('gen_ai.evaluation.name', 'politeness'),
      { key: 'gen_ai.evaluation.score.value', value: { doubleValue: 0.9 } },
      text('gen_ai.evaluation.score.label', 'polite'),
    ]);
    return (logRecords: object[] = [details, score]) => ({
      resourceLogs: [
        {
          resource: { attributes: [text('assay.project_id', setting.projectId())] },
          scopeLogs: [{ logRecords }],
        },
      ],
    });
  };

  test('are its content and its scores, once, whether they come before it, after it, or again', async () => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const [laterTrace, laterSpan] = [newTraceId(), newSpanId()];
    const logs = logsOf(traceId, spanId)();
    expect(await send(logs, '/v1/logs')).toMatchObject({ status: 200, body: {} });
    await send(exportOf([{ traceId, spanId, name: 'chat' }], inProject()));
    await send(logs, '/v1/logs');
    await send(exportOf([{ traceId: laterTrace, spanId: laterSpan, name: 'chat' }], inProject()));
    await settled(laterTrace);
    await send(logsOf(laterTrace, laterSpan)(), '/v1/logs');
    for (const [trace, span] of [
      [traceId, spanId],
      [laterTrace, laterSpan],
    ]) {
      const evaluations = [{ name: 'politeness', score: 0.9, label: 'polite', explanation: null }];
      expect(await settled(trace!)).toMatchObject({
        name: 'chat',
        numSpans: 1,
        inputPreview: 'Where is my parcel?',
        outputPreview: 'It arrives tomorrow.',
        evaluations,
      });
      expect(await namesOf(trace!)).toEqual(['chat']);
      const shown = await get(`/traces/${trace}/spans/${span}`);
      expect(shown).toMatchObject({ name: 'chat', kind: 'internal', evaluations });
      expect(shown.outputMessages).toEqual([
        { role: 'assistant', content: 'It arrives tomorrow.' },
      ]);
      expect(shown.events).toHaveLength(2);
    }
  });

  test('are refused where they are of another kind or name no span, and the others are kept', async () => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const kept = logsOf(traceId, spanId)().resourceLogs[0]!.scopeLogs[0]!.logRecords[0]!;
    const body = logsOf(
      traceId,
      spanId,
    )([kept, { ...kept, eventName: 'exception' }, { ...kept, spanId: '' }]);
    const { partialSuccess } = (await send(body, '/v1/logs')).body;
    expect(partialSuccess.rejectedLogRecords).toBe('2');
    expect(partialSuccess.errorMessage).toContain('gen_ai.client.inference.operation.details');
    expect(await get(`/traces/${traceId}`)).toMatchObject({ numSpans: 1, numErrors: 0 });
  });
});

describe('spans that cannot be kept', () => {
  test('are refused one by one, with the reason of the first, and the others are stored', async () => {
    const traceId = newTraceId();
    const reply = await send(
      exportOf(
        [
          { traceId, name: 'good' },
          { traceId, spanId: '00' },
          { traceId: '0'.repeat(32) },
          { traceId, durationMs: -5 },
          { traceId, start: -800 * 24 * 3600 * 1000 },
        ],
        inProject(),
      ),
    );
    expect(reply).toMatchObject({
      status: 200,
      body: {
        partialSuccess: {
          rejectedSpans: '4',
          errorMessage: 'a span id must have 8 bytes that are not all zero',
        },
      },
    });
    expect(await namesOf(traceId)).toEqual(['good']);
  });

  test('are told to be logs where they are, and logs and metrics are counted at their own paths', async () => {
    const logs = {
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'a' } }, {}] }] }],
    };
    const points = { sum: { dataPoints: [{}, {}, {}] } };
    const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [points] }] }] };
    // An ExportLogsServiceRequest of one record with a time, in protobuf.
    const bytes = Uint8Array.from([0x0a, 13, 0x12, 11, 0x12, 9, 0x09, 1, 0, 0, 0, 0, 0, 0, 0]);
    const asTraces = await send('', '/v1/traces', {
      raw: bytes,
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect(asTraces.text).toContain('looks like logs or metrics');
    for (const [body, count] of [
      [logs, '2'],
      [metrics, '3'],
    ])
      expect((await send(body)).body.partialSuccess).toEqual({
        rejectedSpans: count,
        errorMessage: expect.stringContaining('belongs at another path'),
      });
    const spans = exportOf([{ name: 'lost' }, { name: 'too' }]);
    expect((await send(spans, '/v1/logs')).body.partialSuccess).toMatchObject({
      rejectedLogRecords: '2',
      errorMessage: expect.stringContaining('/otel/v1/traces'),
    });
    expect((await send(logs, '/v1/logs')).body.partialSuccess).toMatchObject({
      rejectedLogRecords: '2',
    });
    expect((await send(metrics, '/v1/metrics')).body.partialSuccess).toMatchObject({
      rejectedDataPoints: '3',
    });
  });

  test('as a whole are refused as google.rpc.Status in the form of the request', async () => {
    const json = await send('{"resourceSpans":{}}');
    expect([json.status, json.body]).toEqual([
      400,
      { code: 3, message: '/resourceSpans must be an array.' },
    ]);
    const binary = await send('', '/v1/traces', {
      raw: Uint8Array.from([0x0a, 0xff]),
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect(binary.status).toBe(400);
    expect(binary.text).toContain('The body is not protobuf of OTLP');
  });

  test('before they are read are refused as google.rpc.Status, too', async () => {
    const named = `?projectId=${'p'.repeat(257)}`;
    for (const path of ['/v1/traces', '/v1/logs', '/v1/metrics']) {
      const headers = { 'content-type': 'text/xml' };
      const xml = await send('<spans/>', path, { headers });
      const message =
        'A body of type "text/xml" is not taken here: send application/x-protobuf or application/json.';
      expect([xml.status, xml.body]).toEqual([415, { code: 3, message }]);
      const json = await send('{}', path + named);
      expect([json.status, json.body]).toEqual([
        400,
        { code: 3, message: expect.stringContaining('projectId') },
      ]);
      const type = 'application/x-protobuf';
      const binary = await send('', path + named, { headers: { 'content-type': type } });
      expect([binary.status, binary.headers.get('content-type')]).toEqual([400, type]);
      // Field 1, the code; field 2, the message.
      const { length } = json.body.message;
      expect(binary.text).toBe(`\b\u0003\u0012${String.fromCharCode(length)}${json.body.message}`);
    }
  });
});

describe('a hostile body', () => {
  test('with spans of more than 10,000 traces is refused in a sentence', async () => {
    const spans = Array.from({ length: 10_001 }, () => ({ traceId: newTraceId() }));
    const reply = await send(exportOf(spans, inProject()));
    expect([reply.status, reply.body]).toEqual([
      400,
      {
        code: 3,
        message: 'The request has spans of more than 10,000 traces: send fewer at once.',
      },
    ]);
  });

  test('that is empty has no spans in protobuf, and is no JSON', async () => {
    const headers = { 'content-type': 'application/x-protobuf' };
    expect((await send('', '/v1/traces', { headers })).status).toBe(200);
    const json = await send('');
    expect([json.status, json.body.code]).toEqual([400, 3]);
  });

  test('with a value deeper than 32 lists is refused in its span alone, however deep it is', async () => {
    for (const depth of [33, 100_000]) {
      const value = `${'{"arrayValue":{"values":['.repeat(depth)}{}${']}}'.repeat(depth)}`;
      const [deep, plain] = [newTraceId(), newTraceId()];
      const sent = exportOf([{ traceId: deep }, { traceId: plain }], inProject());
      sent.resourceSpans[0]!.scopeSpans[0]!.spans[0]!.attributes = [
        { key: 'deep', value: 'DEEP' as never },
      ];
      const reply = await send(JSON.stringify(sent).replace('"DEEP"', value));
      expect(reply.status).toBe(200);
      expect(reply.body.partialSuccess).toMatchObject({
        rejectedSpans: '1',
        errorMessage: expect.stringContaining('at most 32 lists and maps within each other'),
      });
    }
  });
});
