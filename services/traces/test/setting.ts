import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import type { Log } from '@assay/runtime/log';
import { start as startTestcases } from '@assay/testcases/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll } from 'vitest';
import type { TracesConfig } from '../src/config.ts';
import { start } from '../src/service.ts';

/** A span of OTLP/JSON, as far as a test says anything of it. */
export interface SentSpan {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  name?: string;
  /** Milliseconds after now. */
  start?: number;
  durationMs?: number;
  attributes?: Record<string, unknown>;
  status?: { code: number; message?: string };
  events?: { name: string; attributes: Record<string, unknown> }[];
}

let made = 0;
export const newTraceId = (): string => hex(32);
export const newSpanId = (): string => hex(16);

function hex(digits: number): string {
  made += 1;
  return `${process.pid.toString(16)}${Date.now().toString(16)}${made.toString(16)}`
    .padStart(digits, '0')
    .slice(-digits);
}

function anyValueOf(value: unknown): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: String(value) };
}

const attributesOf = (attributes: Record<string, unknown> = {}) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValueOf(value) }));

/** An export of spans in JSON, of one resource. */
export function exportOf(spans: SentSpan[], resource: Record<string, unknown> = {}) {
  const now = Date.now();
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [
          {
            scope: { name: 'test' },
            spans: spans.map(
              ({
                start = 0,
                durationMs = 10,
                attributes,
                events = [],
                traceId,
                spanId,
                name,
                ...span
              }) => ({
                traceId: traceId ?? newTraceId(),
                spanId: spanId ?? newSpanId(),
                name: name ?? 'step',
                kind: 1,
                startTimeUnixNano: `${now + start}000000`,
                endTimeUnixNano: `${now + start + durationMs}000000`,
                attributes: attributesOf(attributes),
                events: events.map((event) => ({
                  timeUnixNano: `${now + start}000000`,
                  name: event.name,
                  attributes: attributesOf(event.attributes),
                })),
                ...span,
              }),
            ),
          },
        ],
      },
    ],
  };
}

/** Traces with the services that they need, and two projects; to be called once in a test file. */
export function useTraces({ config }: { config?: Partial<TracesConfig> } = {}) {
  let world: World;
  let projectId: string;
  let otherProjectId: string;
  /** How far the clock of traces is ahead of ours. */
  let aheadMs = 0;
  beforeAll(async () => {
    world = await startWorld({
      config,
      services: {
        catalog: startCatalog,
        testcases: startTestcases,
        metrics: startMetrics,
        'run-records': startRunRecords,
        results: startResults,
        traces: (config: TracesConfig, log?: Log) =>
          start(config, log, () => new Date(Date.now() + aheadMs)),
      },
    });
    const project = { name: 'p', description: '' };
    projectId = (await world.create('/projects', project)).id;
    otherProjectId = (await world.create('/projects', project)).id;
  });
  afterAll(() => world.stop());

  const request = (...given: Parameters<World['request']>) => world.request(...given);
  const goOn = (ms = 31_000) => {
    aheadMs += ms;
  };

  return {
    world: () => world,
    projectId: () => projectId,
    otherProjectId: () => otherProjectId,
    request,
    /** Sends an export in JSON. */
    send: (body: unknown, path = '/v1/traces', options = {}) =>
      request('POST', path, undefined, {
        raw: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        ...options,
      }),
    /** Lets so much time go by for traces that all that came is due to be settled. */
    goOn,
    get: async (path: string) => (await request('GET', path)).body,
    /** Lets the time go by, and returns the trace once nothing of it is an estimate any more. */
    settled: (traceId: string) => {
      goOn();
      return poll(`trace ${traceId} is settled`, async () => {
        const { body } = await request('GET', `/traces/${traceId}`);
        return body.isSettled === true && body;
      });
    },
  };
}
