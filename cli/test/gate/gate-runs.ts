import { type Client, createClient } from '@assay/client/client';
import { beforeAll } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../../test/system/installation.ts';
import type { Question } from '../../src/gate/arguments.ts';
import { gate } from '../../src/gate/gate.ts';
import { awaitCompletion, sendRecords } from '../command.ts';
import { runGate } from './command.ts';
import { answerInProcess } from './in-process.ts';
import { createTestset, type Testset } from './testset.ts';

export interface RunPlan {
  testset?: Testset;
  metricIds?: string[];
  /** How many of the testcases are answered right, the first ones. */
  right: number;
  /** Records that are sent; all when left out. */
  records?: number;
  isAwaited?: boolean;
  /** Of the testcases that are not answered right. */
  outputs?: object;
  /** The system fails on the testcases that are not answered right. */
  isCrashing?: boolean;
}

/** A project with a testset of twenty questions, and three runs of different quality over it. */
export function useGateRuns() {
  let assay: SharedInstallation;
  let client: Client;
  let project: string;
  let capitals: Testset;
  const metrics: Record<'same' | 'close' | 'judged', string> = { same: '', close: '', judged: '' };
  const runs: Record<'baseline' | 'candidate' | 'worse', string> = {
    baseline: '',
    candidate: '',
    worse: '',
  };

  const create = async (path: string, body: unknown) =>
    (await client.request('POST', path as '/projects', { body: body as never })).id;

  const createMetric = (name: string, outputType: string, builtin?: string) =>
    create(`/projects/${project}/metrics`, {
      name,
      evalType: 'heuristic',
      outputType,
      ...(builtin ? { builtin: { name: builtin, options: {} } } : {}),
    });

  async function createRun({
    testset = capitals,
    metricIds = [metrics.same, metrics.close],
    right,
    records,
    isAwaited = true,
    outputs: wrong = { answer: 'no' },
    isCrashing = false,
  }: RunPlan) {
    const id = await create(`/projects/${project}/runs`, { testsetId: testset.id, metricIds });
    const lines = testset.testcases
      .slice(0, records)
      .map(({ id: testcaseId, inputs, expected }, index) => {
        const isRight = index < right;
        const answer =
          isCrashing && !isRight
            ? { error: { name: 'RuntimeError', message: 'down' } }
            : { outputs: isRight ? expected : wrong };
        return JSON.stringify({ testcaseId, inputs, expected, ...answer });
      });
    await sendRecords(client, id, lines);
    if (isAwaited) await awaitCompletion(client, id);
    return id;
  }

  /** By the command. */
  const ask = (
    args: string[],
    { baseline = runs.baseline, candidate = runs.candidate, environment = {} } = {},
  ) =>
    runGate(['--baseline', baseline, '--candidate', candidate, ...args], {
      ASSAY_URL: assay.url,
      ASSAY_API_KEY: assay.key,
      ...environment,
    });

  /** The same without a process. */
  const answer = (args: string[], { baseline = runs.baseline, candidate = runs.candidate } = {}) =>
    answerInProcess(['--baseline', baseline, '--candidate', candidate, ...args], assay);

  /** By the code behind the command: what it would end with. */
  async function judged(question: Partial<Question>) {
    const { exitCode, reason } = await gate({
      client,
      question: {
        ...runs,
        metrics: [],
        limits: {},
        errors: 'worst',
        level: 0.95,
        anytime: false,
        wait: 0,
        url: assay.url,
        ...question,
      },
    });
    return { exitCode, reason };
  }

  beforeAll(async () => {
    assay = await shareInstallation();
    client = createClient({ url: `${assay.url}/v2`, key: assay.key });
    project = await create('/projects', { name: 'Gate', description: '' });
    capitals = await createTestset(client, project, 20);
    metrics.same = await createMetric('Same', 'boolean', 'exact_match');
    metrics.close = await createMetric('Close', 'float', 'levenshtein');
    metrics.judged = await createMetric('Judged', 'boolean');
    runs.baseline = await createRun({ right: 12 });
    runs.candidate = await createRun({ right: 13 });
    runs.worse = await createRun({ right: 2 });
  });

  return {
    assay: () => assay,
    client: () => client,
    project: () => project,
    capitals: () => capitals,
    metrics,
    runs,
    create,
    createRun,
    ask,
    answer,
    judged,
  };
}
