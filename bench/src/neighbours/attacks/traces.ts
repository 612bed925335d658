import { randomBytes } from 'node:crypto';
import { batches, spansEach } from '../../spans.ts';
import { sendExport } from '../../stored-traces.ts';
import {
  type Attack,
  type Attacker,
  builtin,
  get,
  newMetric,
  newProject,
  newRun,
  newTestset,
  post,
  repeat,
  repeatSteps,
  shown,
} from '../attack.ts';

const tracesCount = 2000;
const spansEachExport = 600;
const tracesEachRequest = 100;

const filters: Record<string, string>[] = [
  {},
  { name: 'answer-question' },
  { service: 'support-bot' },
  { model: 'gpt-5-mini-2025-08-07' },
  { sessionId: 'nobody' },
  { userId: 'nobody' },
  { tag: 'none' },
  { linkId: 'none' },
  { error: 'false' },
  { settled: 'true' },
  { minDurationMs: '1' },
  { minCostUsd: '0' },
];

/** A project of traces of some spans each; returns ids of traces that its lists have. */
async function prepareTraces(attacker: Attacker) {
  const projectId = await newProject(attacker.call);
  const bodies = batches(projectId, {
    bodies: (tracesCount * spansEach) / spansEachExport,
    spans: spansEachExport,
  });
  for (const body of bodies) await sendExport(attacker, body, 1);
  const { data } = await attacker.call('GET', `/projects/${projectId}/traces?limit=100`);
  const traceIds: string[] = data.map(({ traceId }: { traceId: string }) => traceId);
  if (traceIds.length < tracesEachRequest)
    throw new Error(`Of ${tracesCount} traces ${traceIds.length} are listed.`);
  return { projectId, traceIds };
}

/** Attacks on what is stored of traces. */
export const traceAttacks: Attack[] = [
  {
    name: 'lists of traces and their volume',
    prepare: async (attacker) => {
      const { projectId } = await attacker.shared(prepareTraces);
      return repeat(
        attacker,
        24,
        filters.flatMap((filter) => {
          const [by = 'no filter'] = Object.keys(filter);
          const query = new URLSearchParams(filter);
          return [
            get(`listTraces by ${by}`, `/projects/${projectId}/traces?${query}`),
            get(`getTraceVolume by ${by}`, `/projects/${projectId}/traces/volume?${query}`),
          ];
        }),
      );
    },
  },
  {
    name: 'searches of traces that find nothing',
    prepare: async (attacker) => {
      const { projectId } = await attacker.shared(prepareTraces);
      return repeat(attacker, 24, [
        post('searchTraces', `/projects/${projectId}/traces/search`, { text: 'nobody wrote this' }),
      ]);
    },
  },
  {
    name: 'reads of spans',
    prepare: async (attacker) => {
      const { traceIds } = await attacker.shared(prepareTraces);
      const spans: { traceId: string; spanId: string }[] = [];
      for (const traceId of traceIds.slice(0, 10)) {
        const { data } = await attacker.call('GET', `/traces/${traceId}/spans`);
        spans.push(...data.map(({ spanId }: { spanId: string }) => ({ traceId, spanId })));
      }
      return repeat(attacker, 24, [
        ...traceIds.map((id) =>
          get(
            'listSpans',
            `/traces/${id}/spans`,
            shown(spansEach, ({ data }) => data.length),
          ),
        ),
        ...traceIds.map((id) => get('getConversation', `/traces/${id}/conversation`)),
        ...spans.map(({ traceId, spanId }) => get('getSpan', `/traces/${traceId}/spans/${spanId}`)),
      ]);
    },
  },
  {
    name: 'testcases and records from traces',
    prepare: async (attacker) => {
      const { projectId, traceIds } = await attacker.shared(prepareTraces);
      const testsetId = await newTestset(attacker.call, projectId);
      const runId = await newRun(attacker.call, projectId);
      const made = shown(tracesEachRequest, ({ items }) => items.length);
      return repeat(attacker, 12, [
        post(
          'createTestcasesFromTraces',
          `/testsets/${testsetId}/testcases/from-traces`,
          { traceIds, mapping: { answer: '/output' }, dryRun: true },
          made,
        ),
        post(
          'createRecordsFromTraces',
          `/runs/${runId}/records/from-traces`,
          { traceIds, select: 'last-llm' },
          made,
        ),
      ]);
    },
  },
  {
    name: 'backfills of monitors',
    prepare: async (attacker) => {
      const { call } = attacker;
      const { projectId } = await attacker.shared(prepareTraces);
      const metricId = await newMetric(call, projectId, { evalType: 'heuristic', builtin });
      const filter = { serviceName: 'support-bot' };
      const monitor = await call('PUT', `/projects/${projectId}/monitors`, {
        description: 'Attack',
        metrics: [metricId],
        filter,
        sampleRate: 1,
      });
      const hourMs = 3_600_000;
      const from = new Date(Date.now() - hourMs).toISOString();
      const to = new Date(Date.now() + hourMs).toISOString();
      const path = `/monitors/${monitor.id}/backfill`;
      return repeat(attacker, 12, [
        post('backfillMonitor as a dry run', path, { from, to, dryRun: true }),
        post('backfillMonitor', path, { from, to }),
        post('previewMonitor', `/projects/${projectId}/monitors/preview`, {
          filter,
          sampleRate: 1,
        }),
      ]);
    },
  },
  {
    name: 'exports and deletions of spans',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const kinds = [
        'exportTraces',
        'exportLogs',
        'exportMetrics',
        'deleteTrace',
        'listSessionTraces',
      ];
      return repeatSteps(attacker, { atOnce: 8, kinds }, async (send) => {
        const traceIds = Array.from({ length: 50 }, () => randomBytes(16).toString('hex'));
        const otlp = (kind: string, path: string, body: object) =>
          send({ ...post(kind, path, body), base: '/otel' });
        await otlp('exportTraces', '/v1/traces', spansOf(projectId, traceIds));
        await otlp('exportLogs', '/v1/logs', logsOf(traceIds));
        await otlp('exportMetrics', '/v1/metrics', metricsOf());
        const path = `/traces/${traceIds[0]}`;
        await send({ kind: 'deleteTrace', method: 'DELETE', path });
        await send(get('listSessionTraces', '/sessions/attack/traces'));
      });
    },
  },
];

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const spanId = () => randomBytes(8).toString('hex');

/** Some spans of each trace, with an output of a kilobyte each. */
function spansOf(projectId: string, traceIds: readonly string[]) {
  const now = `${Date.now()}000000`;
  const spans = traceIds.flatMap((traceId) =>
    Array.from({ length: spansEach }, () => ({
      traceId,
      spanId: spanId(),
      name: 'Attack',
      startTimeUnixNano: now,
      endTimeUnixNano: now,
      attributes: [text('session.id', 'attack'), text('output.value', 'a'.repeat(1000))],
    })),
  );
  const resource = { attributes: [text('assay.project_id', projectId)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

function logsOf(traceIds: readonly string[]) {
  const logRecords = traceIds.flatMap((traceId) =>
    Array.from({ length: spansEach }, () => ({
      traceId,
      spanId: spanId(),
      timeUnixNano: `${Date.now()}000000`,
      eventName: 'gen_ai.evaluation.result',
      attributes: [text('gen_ai.evaluation.name', 'Attack')],
    })),
  );
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

function metricsOf() {
  const dataPoints = Array.from({ length: 1000 }, () => ({ asInt: '1' }));
  return {
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'a', gauge: { dataPoints } }] }] }],
  };
}
