import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start as startCatalog } from '@assay/catalog/service';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { newId } from '@assay/runtime/ids';
import { start as startScoring } from '@assay/scoring/service';
import { start as startSessions } from '@assay/sessions/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import type { Reply } from '@assay/testing/reply';
import { startWorld, type World } from '@assay/testing/world';
import { start as startTraces } from '@assay/traces/service';
import { afterAll, beforeAll } from 'vitest';
import { start } from '../src/service.ts';

const publicUrl = 'http://localhost:4400/v2';

/** Scoring that hears of no run: its scores are submitted by the tests themselves. */
const startIdleScoring: typeof startScoring = (config, log) =>
  startScoring({ ...config, SUBJECT_PREFIX: `${config.SUBJECT_PREFIX}-idle` }, log);

/** Transfers with the services that own the parts of a project; to be called once in a test file. */
export function useTransfers({ config = {} }: { config?: Record<string, unknown> } = {}) {
  let world: World;
  let folder: string;
  /** How far the clock of traces is ahead of ours. */
  let aheadMs = 0;
  const startAheadTraces: typeof startTraces = (config, log) =>
    startTraces(config, log, () => new Date(Date.now() + aheadMs));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-attachments-'));
    world = await startWorld({
      services: {
        identity: startIdentity,
        catalog: startCatalog,
        testcases: startTestcases,
        systems: startSystems,
        metrics: startMetrics,
        'run-records': startRunRecords,
        results: startResults,
        scoring: startIdleScoring,
        sessions: startSessions,
        traces: startAheadTraces,
        transfers: start,
      },
      config: {
        STORAGE: 'disk',
        ATTACHMENTS_FOLDER: folder,
        PUBLIC_URL: publicUrl,
        ...config,
      },
    });
  });
  afterAll(async () => {
    await world.stop();
    await rm(folder, { recursive: true });
  });

  const request = (...given: Parameters<World['request']>) => world.request(...given);
  const create = (...given: Parameters<World['create']>) => world.create(...given);
  const atSignedUrl = (url: string, init: RequestInit = {}) => {
    const path = url.slice(publicUrl.length);
    const as = { organizationId: '', role: 'anonymous' as const };
    const headers = world.sealed(init.method ?? 'GET', path, as);
    return fetch(world.urls.sessions + path, { ...init, headers });
  };
  return {
    world: () => world,
    request,
    create,
    /** Lets so much time go by for traces that all that came is due to be settled. */
    goOn: () => {
      aheadMs += 31_000;
    },
    /** Where the bytes of attachments are. */
    folder: () => folder,
    /** Attaches a file to a session, by the three steps of a client. */
    async attach(
      sessionId: string,
      bytes: string | Uint8Array<ArrayBuffer>,
      { filePath = 'logs/answer.txt', as = {} }: { filePath?: string; as?: ImportOptions } = {},
    ): Promise<void> {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const body = {
        sessionId,
        filePath,
        sha256,
        sizeBytes: Buffer.byteLength(bytes),
        contentType: 'text/plain',
        metadata: { by: 'the client' },
      };
      const { body: declared } = await request('POST', '/attachments', body, as);
      if (declared.alreadyExists) return;
      await atSignedUrl(declared.uploadUrl, { method: 'PUT', body: bytes });
      await request('POST', `/attachments/${declared.id}/commit`, undefined, as);
    },
    async download(attachmentId: string, as: ImportOptions): Promise<Buffer> {
      const { body } = await request('GET', `/attachments/${attachmentId}`, undefined, as);
      return Buffer.from(await (await atSignedUrl(body.downloadUrl)).arrayBuffer());
    },
    exportOf: async (projectId: string, { query = '', ...options }: ImportOptions = {}) =>
      request('GET', `/projects/${projectId}/export${query}`, undefined, options),
    importOf: (file: string | Uint8Array, { query = '', ...options }: ImportOptions = {}) =>
      request('POST', `/projects/import${query}`, undefined, {
        ...options,
        raw: file,
        headers: { 'content-type': 'application/x-ndjson', ...options.headers },
      }),
  };
}

type ImportOptions = { query?: string; headers?: Record<string, string> } & NonNullable<
  Parameters<World['request']>[3]
>;

/** Another organization, which has nothing. */
export const asAnotherOrganization = () => ({
  identity: { organizationId: newId(), userId: newId(), role: 'admin' as const },
});

/** The lines of an answer or a file. */
export const linesOf = ({ text }: Pick<Reply, 'text'>) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** The text of a file with each id replaced by the number of its first occurrence. */
export function withoutIds(text: string): string[] {
  const numbers = new Map<string, number>();
  return text
    .replace(/"(exportedAt|sha256|signer|signature)":"[^"]*"/g, '"$1":""')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!numbers.has(id)) numbers.set(id, numbers.size);
      return `id ${numbers.get(id)}`;
    })
    .split('\n');
}

/** The text of a file as it is written again after its import, but for ids: monitors are paused. */
export const withMonitorsPaused = (text: string): string =>
  text.replaceAll(/^\{"kind":"monitor".*$/gm, (line) =>
    line.replace('"isPaused":false', '"isPaused":true'),
  );

/** Numbers of many digits, escapes, names of inherited members, and more than 16 bits. */
export const hostileText =
  '{"question":"caf\\u00e9 \\ud83d\\ude80 \\u0000","n":12345678901234567890.123456789012345678901234567890,"e":-0.0E+05,"__proto__":{"toString":1},"a.b":{"$c":[]}}';

/** Makes a project with one of everything, of an admin of the organization. */
export async function createProject({
  request,
  create,
  attach,
}: Pick<ReturnType<typeof useTransfers>, 'request' | 'create' | 'attach'>) {
  const send = async (method: string, path: string, body?: unknown, options = {}) => {
    const reply = await request(method, path, body, options);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const project = await create('/projects', { name: 'Ünï 🚀', description: 'All of it' });
  const inProject = `/projects/${project.id}`;
  const other = (await send('POST', '/members', { email: `${randomUUID()}@example.com` })).userId;
  const testset = await create(`${inProject}/testsets`, {
    name: 'Questions',
    description: 'd',
    jsonSchema: { properties: { question: { type: 'string' }, answer: {} } },
    fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
  });
  await send('POST', `/testsets/${testset.id}/testcases`, undefined, {
    raw: `{"items":[{"jsonData":${hostileText},"key":"one"},{"jsonData":{"question":1,"answer":"a"}},{"jsonData":{"question":"three"}}]}`,
  });
  const testcases = (await send('GET', `/testsets/${testset.id}/testcases`)).data as {
    id: string;
  }[];
  await send('PATCH', `/testsets/${testset.id}`, {
    name: 'Renamed',
    jsonSchema: { properties: {} },
  });

  const system = await send('POST', `${inProject}/systems`, undefined, {
    raw: '{"name":"Bot","config":{"t":0.10000000000000000000001}}',
  });
  await send('POST', `/systems/${system.id}/versions`, { config: { t: 2 }, name: 'Second' });
  const deletedSystem = await send('POST', `${inProject}/systems`, {
    name: 'Old bot',
    config: { old: true },
  });

  const metricOf = async (body: object) =>
    (await send('POST', `${inProject}/metrics`, body)).id as string;
  const heuristic = await metricOf({
    name: 'Same',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { ignoreCase: true } },
  });
  const judge = await metricOf({
    name: 'Helpful',
    evalType: 'ai',
    outputType: 'int',
    promptTemplate: '{{ outputs.answer }}',
    evalModelName: 'model-1',
    votes: 3,
  });
  const human = await metricOf({
    name: 'People',
    evalType: 'human',
    outputType: 'boolean',
    annotators: 2,
  });
  const program = await metricOf({ name: 'Program', evalType: 'heuristic', outputType: 'float' });
  const deleted = await metricOf({ name: 'Gone', evalType: 'human', outputType: 'int' });
  await send('POST', `${inProject}/metric-groups`, {
    name: 'Group',
    metricIds: [judge, heuristic],
  });

  await send('PUT', `${inProject}/monitors`, {
    description: 'Ünï 🚀',
    metrics: [judge, deleted],
    filter: {
      serviceName: 'bot',
      name: 'answer',
      spanName: 'call',
      attributes: { 'gen_ai.system': 'openai', $n: '1' },
      model: 'model-1',
      tags: ['slow'],
      metadata: { team: 'support' },
      hasError: false,
      minDurationMs: 0.5,
    },
    sampleRate: 0.25,
    sampleBy: 'session',
    maxPerHour: 7,
    budgetUsdPerDay: 1.5,
    select: 'span:answer',
  });
  await send('PUT', `${inProject}/monitors`, {
    description: 'Paused',
    metrics: [heuristic],
    isPaused: true,
  });

  await send('POST', `/testcases/${testcases[0]!.id}/annotations`, { comment: 'Two are right.' });
  await send('POST', `/testcases/${testcases[0]!.id}/annotations`, { rating: false });

  const newRun = (body: object) =>
    send('POST', `${inProject}/runs`, { testsetId: testset.id, ...body });
  const baseline = await newRun({
    metricIds: [heuristic, judge, human, program],
    systemVersionId: deletedSystem.productionVersion.id,
    name: 'Baseline',
    labels: { commit: 'abc', branch: 'main' },
    budgetUsd: 5,
  });
  await send('DELETE', `/systems/${deletedSystem.id}`);
  await send('PATCH', `/metrics/${judge}`, {
    evalType: 'ai',
    outputType: 'int',
    guidelines: 'Be strict',
  });
  const candidate = await newRun({
    metricIds: [heuristic, judge, deleted],
    systemVersionId: system.productionVersion.id,
    repeats: 2,
  });
  await send('DELETE', `/metrics/${deleted}`);
  await send('PUT', `/testsets/${testset.id}/baseline`, { runId: baseline.id });

  const recordOf = async (runId: string, testcaseId: string | undefined, change: object = {}) =>
    (
      await send('POST', `/runs/${runId}/records`, {
        inputs: { question: 'q' },
        expected: { answer: 'a' },
        outputs: { answer: 'A' },
        ...(testcaseId === undefined ? {} : { testcaseId }),
        ...change,
      })
    ).id as string;
  const records: string[] = [];
  for (const [index, { id }] of testcases.entries())
    records.push(
      await recordOf(baseline.id, id, {
        clientId: `client ${index}`,
        otelLinkId: `span ${index}`,
        sessionId: 'session 1',
        tags: ['slow', 'ünï'],
        metrics: { latencyMs: 12.5, inputTokens: 3 },
        metadata: { trace: { id: 1 } },
        scores: [{ metricId: program, score: { floatScore: 0.25, reasoning: 'r' } }],
      }),
    );
  const raw = (
    await send('POST', `/runs/${baseline.id}/records`, undefined, {
      raw: `{"inputs":${hostileText},"expected":{},"outputs":{\n"answer":\n1e400,"x":""}}`,
    })
  ).id as string;
  const others: string[] = [];
  for (const { id } of testcases) others.push(await recordOf(candidate.id, id));

  await attach('session 1', 'an answer');
  await accept({ request, baseline, candidate, records, others, raw });
  const [people] = baseline.metricVersionIds.slice(2);
  await send('PUT', `/records/${records[0]}/scores/${people}`, {
    score: { binaryScore: true, more: [1] },
  });
  await send('PUT', `/records/${records[0]}/scores/${people}`, {
    score: { value: false },
    userId: other,
  });
  await send('PUT', `/records/${records[1]}/scores/${people}`, { score: { value: 'wrong' } });
  // The judge is overridden, and a score is outside the run's accounts.
  await send('PUT', `/records/${others[0]}/scores/${candidate.metricVersionIds[1]}`, {
    score: { intScore: 1 },
  });
  await send('PUT', `/records/${others[0]}/scores/${people}`, { score: { value: true } });
  await send('POST', `/records/${records[0]}/annotations`, {
    rating: false,
    comment: 'Too short',
    passage: { payload: 'outputs', pointer: '/answer', start: 0, end: 1, text: 'A' },
  });
  await send('POST', `/records/${records[0]}/annotations`, { comment: '🚀', spanId: 's' });
  await send('POST', `/records/${records[1]}/assignees`, { assigneeUserId: other });
  return { project, testset, baseline, candidate, records, others, judge, human };
}

/** Submits the scores that the scoring service would make: values, votes and failures. */
async function accept({
  request,
  baseline,
  candidate,
  records,
  others,
  raw,
}: Pick<ReturnType<typeof useTransfers>, 'request'> & {
  baseline: { id: string; metricVersionIds: string[] };
  candidate: { id: string; metricVersionIds: string[] };
  records: string[];
  others: string[];
  raw: string;
}): Promise<void> {
  for (const [run, recordIds] of [
    [baseline, [...records, raw]],
    [candidate, others],
  ] as const) {
    const [same, helpful] = run.metricVersionIds as [string, string];
    const judgements = recordIds.flatMap((recordId, index) => [
      {
        recordId,
        metricVersionId: same,
        outcome: {
          kind: 'score',
          value: index % 2 === 0,
          reasoning: 'équal',
          source: 'heuristic',
          provenance: {
            metricVersionId: same,
            evaluator: 'exact_match',
            durationMs: 1,
            attempts: 1,
          },
        },
      },
      index === 1
        ? {
            recordId,
            metricVersionId: helpful,
            outcome: { kind: 'failure', code: 'timeout', message: 'Too late.', attempts: 3 },
          }
        : {
            recordId,
            metricVersionId: helpful,
            outcome: {
              kind: 'score',
              value: 1 + index,
              reasoning: 'so',
              source: 'ai',
              votes: [1 + index, 2 + index, 1],
              provenance: {
                metricVersionId: helpful,
                evaluator: 'judge',
                model: 'model-1',
                temperature: 0,
                votes: 3,
                inputTokens: 10,
                outputTokens: 2,
                costUsd: 0.0125,
                durationMs: 12,
                attempts: 1,
              },
            },
          },
    ]);
    const reply = await request(
      'POST',
      '/internal/judgements',
      { runId: run.id, judgements },
      { identity: { role: 'service' } },
    );
    if (reply.status !== 200) throw new Error(reply.text);
  }
}
