import type { Client, Json } from '@assay/client/client';
import type { BodyOf, ReplyOf } from '@assay/client/operations';
import { concurrently } from './concurrently.ts';
import { awaitScores, type RunProgress } from './scoring.ts';
import { createTracer, type Tracer } from './tracing.ts';

/** Everything that a client brings along for an evaluation. */
export interface Evaluation {
  /** The project is named after it. */
  title: string;
  description: string;
  testset: {
    name: string;
    description: string;
    jsonSchema: Json;
    fieldMapping: { inputs: string[]; expected: string[]; metadata: string[] };
  };
  /** Each one's `jsonData`. */
  testcases: Json[];
  metrics: MetricPlan[];
  system: { name: string; description: string };
  versions: SystemVersion[];
}

/** A metric as it is created. With `grade` the scores are ours, and sent with PUT. */
export interface MetricPlan extends Json {
  name: string;
  outputType: 'boolean' | 'int' | 'float';
  grade?: (made: { expected: Json; outputs: Json }) => { value: number; reasoning: string };
}

/** A program under test; `answer` runs it. */
export interface SystemVersion {
  name: string;
  config: Json;
  /** The one that answers; with it each answer is traced. */
  model?: string;
  answer: (testcase: { index: number; inputs: Json }) => Json;
}

export type MetricSummary = ReplyOf<'GET', '/runs/:runId/summary'>['metrics'][number];

export interface EvaluatedVersion {
  name: string;
  runId: string;
  metrics: MetricSummary[];
}

interface Testcase {
  id: string;
  inputs: Json;
  expected: Json;
  validationErrors?: { path: string; message: string }[];
}
interface Run {
  id: string;
  metricVersionIds: string[];
}

const inFlightMax = 16;
const testcasesPerRequest = 100;

/**
 * Evaluates each version of a system on each testcase, through the HTTP interface only: project,
 * testset with its testcases, metrics, system versions, a run a version, then the records, and
 * after them the wait for their scores. Answers with the project, and a summary a version, in their
 * order. `otlp` is a client of `/otel`, to which the traces go.
 */
export async function evaluate({
  client,
  otlp,
  evaluation,
  at,
  onProgress,
}: {
  client: Client;
  otlp: Client;
  evaluation: Evaluation;
  at: Date;
  onProgress: (runs: RunProgress[]) => void;
}): Promise<{ projectId: string; versions: EvaluatedVersion[] }> {
  const { projectId, runs, testcases } = await prepare({ client, evaluation, at });
  const runIds = runs.map(({ id }) => id);
  const tracer = createTracer(otlp, projectId);
  const executed = execute({ client, tracer, evaluation, runs, testcases });
  await awaitScores({ client, runIds, executed, onProgress });
  const versions = await Promise.all(
    evaluation.versions.map(async ({ name }, index) => {
      const runId = runIds[index]!;
      const { metrics } = await client.request('GET', '/runs/:runId/summary', {
        params: { runId },
      });
      return { name, runId, metrics };
    }),
  );
  return { projectId, versions };
}

async function prepare({
  client,
  evaluation,
  at,
}: {
  client: Client;
  evaluation: Evaluation;
  at: Date;
}) {
  const { title, description, testset, metrics } = evaluation;
  const { id: projectId } = await client.request('POST', '/projects', {
    body: { name: `Demo ${timeOf(at)}: ${title}`, description },
  });
  const params = { projectId };
  const { id: testsetId } = await client.request('POST', '/projects/:projectId/testsets', {
    params,
    body: testset,
  });
  const testcases = await createTestcases({ client, testsetId, testcases: evaluation.testcases });
  const metricIds: string[] = [];
  for (const { grade: _ours, ...body } of metrics)
    metricIds.push(
      (
        await client.request('POST', '/projects/:projectId/metrics', {
          params,
          body: body as BodyOf<'POST', '/projects/:projectId/metrics'>,
        })
      ).id,
    );
  const versionIds = await createVersions({ client, projectId, evaluation });
  const runs: Run[] = [];
  for (const [index, systemVersionId] of versionIds.entries()) {
    runs.push(
      await client.request('POST', '/projects/:projectId/runs', {
        params,
        body: {
          name: evaluation.versions[index]!.name,
          testsetId,
          systemVersionId,
          metricIds,
        },
      }),
    );
  }
  return { projectId, runs, testcases };
}

/** 2026-01-31 12:00:00, in UTC. */
const timeOf = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

async function createTestcases({
  client,
  testsetId,
  testcases,
}: {
  client: Client;
  testsetId: string;
  testcases: Json[];
}) {
  const created: Testcase[] = [];
  for (let start = 0; start < testcases.length; start += testcasesPerRequest) {
    const items = testcases
      .slice(start, start + testcasesPerRequest)
      .map((jsonData) => ({ jsonData }));
    created.push(
      ...(
        await client.request('POST', '/testsets/:testsetId/testcases', {
          params: { testsetId },
          body: {
            items,
          },
        })
      ).items,
    );
  }
  const wrong = created.findIndex(({ validationErrors }) => validationErrors);
  if (wrong >= 0)
    throw new Error(
      `Testcase ${wrong + 1} breaks its schema: ${created[wrong]!.validationErrors![0]!.message}`,
    );
  return created;
}

async function createVersions({
  client,
  projectId,
  evaluation: { system, versions },
}: {
  client: Client;
  projectId: string;
  evaluation: Evaluation;
}) {
  const body = { ...system, config: versions[0]!.config };
  const { id } = await client.request('POST', '/projects/:projectId/systems', {
    params: { projectId },
    body,
  });
  const versionIds: string[] = [];
  for (const { name, config } of versions) {
    versionIds.push(
      (
        await client.request('POST', '/systems/:systemId/versions', {
          params: { systemId: id },
          body: { name, config },
        })
      ).id,
    );
  }
  return versionIds;
}

interface Execution {
  client: Client;
  tracer: Tracer;
  evaluation: Evaluation;
  runs: Run[];
  testcases: Testcase[];
}

/**
 * Runs every version on every testcase, one version after the other, and stores each answer as a
 * record, with its trace.
 */
async function execute({ client, tracer, evaluation, runs, testcases }: Execution): Promise<void> {
  const items = runs.flatMap((run, version) =>
    testcases.map((testcase, index) => ({
      run,
      version: evaluation.versions[version]!,
      testcase,
      index,
    })),
  );
  await concurrently({
    items,
    inFlightMax,
    work: async ({ run, version, testcase: { id: testcaseId, inputs, expected }, index }) => {
      const { outputs, ...link } = await answerBy({ version, tracer, index, inputs });
      const record = await client.request('POST', '/runs/:runId/records', {
        params: { runId: run.id },
        body: {
          testcaseId,
          inputs,
          expected,
          outputs,
          ...link,
        },
      });
      await grade({
        client,
        run,
        metrics: evaluation.metrics,
        recordId: record.id,
        made: { expected, outputs },
      });
    },
  });
  await tracer.flush();
}

/** Asks a version, whose answer is traced where a model gave it. */
async function answerBy({
  version: { name, model, answer },
  tracer,
  index,
  inputs,
}: {
  version: SystemVersion;
  tracer: Tracer;
  index: number;
  inputs: Json;
}): Promise<{ outputs: Json; otelLinkId?: string }> {
  const startedAt = performance.timeOrigin + performance.now();
  const outputs = answer({ index, inputs });
  if (model === undefined) return { outputs };
  const endedAt = performance.timeOrigin + performance.now();
  const traced = { version: name, model, inputs, outputs, startedAt, endedAt };
  return { outputs, otelLinkId: await tracer.trace(traced) };
}

/** Sends the scores that are ours: as any client can. */
async function grade({
  client,
  run,
  metrics,
  recordId,
  made,
}: {
  client: Client;
  run: Run;
  metrics: MetricPlan[];
  recordId: string;
  made: { expected: Json; outputs: Json };
}): Promise<void> {
  for (const [index, { grade, outputType }] of metrics.entries()) {
    if (!grade) continue;
    const { value, reasoning } = grade(made);
    const score = { [valueField[outputType]]: value, reasoning };
    await client.request('PUT', '/records/:recordId/scores/:metricConfigId', {
      params: { recordId, metricConfigId: run.metricVersionIds[index]! },
      body: {
        score,
      },
    });
  }
}

const valueField = { boolean: 'binaryScore', int: 'intScore', float: 'floatScore' };
