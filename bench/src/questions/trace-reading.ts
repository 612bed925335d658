import { setTimeout as pause } from 'node:timers/promises';
import { traces } from '@assay/contracts/traces';
import { authorizationOf } from '../client.ts';
import { sealedCursor } from '../cursor.ts';
import { createFoundTraces, type FoundTraces } from '../found-traces.ts';
import { quantile } from '../load/answers.ts';
import type { TimedResult } from '../load.ts';
import { millisecondsText, type Row, say } from '../report.ts';
import { getOf, throughGateway } from '../requests.ts';
import { errorsOf, medianOf, roundsCount, timeOf, toText } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { longTrace } from '../spans.ts';
import { sendExport } from '../stored-traces.ts';

const long = { requests: 10, spans: 500 };
const openings = 50;
const openMaxMs = 300;

const durationMs = 500;
const pageItems = 50;
const pageMaxMs = 20;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * The question trace-reading: a trace of 5,000 spans, and pages of the list of a project with many
 * traces.
 */
export const askTraceReading = async (setting: Setting): Promise<Row[]> => [
  ...(await askLongTrace(setting)),
  ...(await askLists(setting, await createFoundTraces(setting, setting.tracesCount))),
];

async function askLongTrace(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call, url, key } = installation;
  const { id } = await call('POST', '/projects', { name: 'Long trace', description: '' });
  let traceId = '';
  for (const body of longTrace(id, long)) traceId = await sendExport(installation, body, 1);
  const spans = long.requests * long.spans;
  while (!(await call('GET', `/traces/${traceId}`)).isSettled) await pause(100);
  const { data, numSpans } = await call('GET', `/traces/${traceId}/spans`);
  if (data.length !== spans || numSpans !== spans)
    throw new Error(`Of ${spans} spans ${data.length} are listed.`);

  const get = async (path: string) => {
    const response = await fetch(`${url}/v2/traces/${traceId}${path}`, {
      headers: authorizationOf(key),
    });
    const { byteLength } = await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return byteLength;
  };
  const times: number[] = [];
  for (let round = 0; round <= openings; round++) {
    const tookMs = await timeOf(() => Promise.all([get(''), get('/spans')]));
    if (round > 0) times.push(tookMs);
  }
  const row = (measure: string, ms: number): Row => ({
    question: 'trace-reading',
    measure,
    ours: millisecondsText(ms),
  });
  const p99Ms = quantile(times, 0.99);
  return [
    row(`a trace of ${spans.toLocaleString('en-US')} spans is opened: p50`, quantile(times, 0.5)),
    { ...row('  p99', p99Ms), reach: `≤ ${openMaxMs} ms`, isReached: p99Ms <= openMaxMs },
  ];
}

interface Side {
  measure: string;
  query: Record<string, string>;
  /** All that there is fits the first page. */
  isShort?: true;
  /** No index answers these filters, so that a page looks at more than it shows. */
  isLookedAt?: true;
}

function sidesOf({ middle: { startedAt } }: FoundTraces, count: number): Side[] {
  const link = Math.floor(count / 200) * 100;
  return [
    { measure: 'without a filter', query: {} },
    {
      measure: 'a day from the middle',
      query: {
        from: new Date(startedAt - dayMs / 2).toISOString(),
        to: new Date(startedAt + dayMs / 2).toISOString(),
      },
    },
    { measure: 'with errors, one in 100', query: { error: 'true' } },
    { measure: 'a tag, a tenth', query: { tag: 'tenth' } },
    { measure: 'a model, a tenth', query: { model: 'model 3' } },
    { measure: 'a session, 10 traces', query: { sessionId: 'session 7' }, isShort: true },
    { measure: 'a link, 1 trace', query: { linkId: `link ${link}` }, isShort: true },
    { measure: 'a user, 100 traces', query: { userId: 'user 7' } },
    { measure: 'a service, a fifth', query: { service: 'service 3' } },
    { measure: 'a name, one in 1,000', query: { name: 'rare' } },
    {
      measure: 'without index: 9.9 s or longer, one in 100',
      query: { minDurationMs: '9900' },
      isLookedAt: true,
    },
    {
      measure: 'without index: a cost, one in 100',
      query: { minCostUsd: '0.0099' },
      isLookedAt: true,
    },
    {
      measure: 'with errors, of a service and a name',
      query: { error: 'true', service: 'service 0', name: 'route 0' },
    },
  ];
}

async function askLists(setting: Setting, found: FoundTraces): Promise<Row[]> {
  const installation = await setting.installation();
  const { projectId, middle } = found;
  const rows: Row[] = [];
  for (const { measure, query, isShort, isLookedAt } of sidesOf(found, setting.tracesCount)) {
    say(`  ${measure}`);
    const cursor = await sealedCursor(setting, {
      operation: 'traces.listTraces',
      list: traces.operations.listTraces,
      params: { projectId },
      query,
      after: middle.after,
    });
    const get = async (more: Record<string, string>): Promise<TimedResult[]> => {
      const parameters = new URLSearchParams({ limit: `${pageItems}`, ...query, ...more });
      const path = `/projects/${projectId}/traces?${parameters}`;
      const { data } = await installation.call('GET', path);
      if (data.length === 0) throw new Error(`No trace was found by ${parameters}.`);
      const measured: TimedResult[] = [];
      for (let round = 0; round <= roundsCount; round++) {
        const one = await setting.generator.closedLoop({
          ...getOf(throughGateway(installation), path),
          connections: 1,
          until: { durationMs },
        });
        if (round > 0) measured.push(one);
      }
      say(`    ${data.length} traces: ${toText(measured.at(-1)!)}`);
      return measured;
    };
    const add = async (what: string, more: Record<string, string>) =>
      rows.push(rowOf(what, await get(more), isLookedAt ? undefined : pageMaxMs));
    await add(`a page of ${pageItems} traces, ${measure}`, {});
    if (!isShort) await add('  from the middle', { cursor });
  }
  return rows;
}

function rowOf(measure: string, measured: TimedResult[], maxMs: number | undefined): Row {
  const p50Ms = medianOf(measured, 'p50Ms');
  return {
    question: 'trace-reading',
    measure,
    ours: millisecondsText(p50Ms),
    ...(maxMs === undefined ? {} : { reach: `≤ ${maxMs} ms`, isReached: p50Ms <= maxMs }),
    errors: errorsOf(measured),
  };
}
