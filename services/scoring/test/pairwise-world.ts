import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { start as startTestcases } from '@assay/testcases/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { start } from '../src/service.ts';
import {
  type Call,
  type MockProviders,
  type Reply,
  say,
  startMockProviders,
} from './mock-providers.ts';

export type Preference = 'first' | 'second' | 'tie';

/** What a judge says who prefers so. */
export const prefer = (preferred: Preference): Reply =>
  say({ reasoning: `The better one is: ${preferred}.`, preferred });

/** The two answers that a judge is shown, in their order. */
export function shown({ body }: Call): [string, string] {
  const prompt = body.messages.at(-1).content as string;
  const [first, second] = [...prompt.matchAll(/<(data-\w+)>([^<]*)<\/\1>/g)].map(
    ([, , text]) => text!,
  );
  return [first!, second!];
}

/** A judge to whom the order means nothing: the answer that comes later in the alphabet is better. */
export function preferLater(call: Call): Reply {
  const [first, second] = shown(call);
  return prefer(first === second ? 'tie' : first > second ? 'first' : 'second');
}

export const judgeOfPairs = {
  name: 'Which is better?',
  evalType: 'ai',
  outputType: 'boolean',
  subject: 'pair',
  promptTemplate: 'One: {{ first.outputs.answer }} Two: {{ second.outputs.answer }}',
  evalModelName: 'gpt-4o',
};

/** Of one call to the mock's gpt-4o: 12 tokens in, 7 out. */
export const callUsd = (12 * 2.5 + 7 * 10) / 1e6;

export interface PairwiseWorld extends World {
  mock: MockProviders;
  /** What the judge answers from now on. */
  answers(answer: (call: Call) => Reply | Promise<Reply>): void;
  /** A project with a testset, a judge of pairs and a run for each list of answers. */
  prepare(options: { answers: string[][]; metric?: object }): Promise<PreparedRuns>;
  /** The comparison, once nothing of it is pending. */
  finished(id: string): Promise<PairwiseReply>;
}

export interface PreparedRuns {
  projectId: string;
  metricId: string;
  testsetId: string;
  testcaseIds: string[];
  runIds: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a reply
export type PairwiseReply = any;

/** Services with a judge that tests speak for, and `services` besides. */
export async function startPairwiseWorld({
  services = {},
  settings = {},
}: {
  services?: Parameters<typeof startWorld>[0]['services'];
  settings?: object;
} = {}): Promise<PairwiseWorld> {
  let answer: (call: Call) => Reply | Promise<Reply> = preferLater;
  const mock = await startMockProviders((call) => answer(call));
  const world = await startWorld({
    services: {
      catalog: startCatalog,
      testcases: startTestcases,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
      ...services,
    },
    config: { ...mock.config(), SWEEP_INTERVAL_MS: 250, SWEEP_AFTER_MS: 500, ...settings },
  });

  const stopServices = world.stop;

  return Object.assign(world, {
    mock,
    answers: (next: typeof answer) => {
      answer = next;
    },
    prepare: (options: Parameters<PairwiseWorld['prepare']>[0]) =>
      prepareRuns(world.request, options),
    finished: (id: string) =>
      poll('nothing is pending', async () => {
        const { body } = await world.request('GET', `/pairwise-comparisons/${id}`);
        return body.account.pending === 0 && body;
      }),
    stop: async () => {
      await stopServices();
      await mock.stop();
    },
  });
}

/** A project with a testset, a judge of pairs and a run for each list of answers. */
export async function prepareRuns(
  request: World['request'],
  { answers, metric = {} }: { answers: string[][]; metric?: object },
): Promise<PreparedRuns> {
  const made = async (path: string, body: unknown) => {
    const reply = await request('POST', path, body);
    if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const projectId = (await made('/projects', { name: 'p', description: '' })).id;
  const testset = await made(`/projects/${projectId}/testsets`, {
    name: 't',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {} } },
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
  const count = Math.max(...answers.map(({ length }) => length));
  const { items } = await made(`/testsets/${testset.id}/testcases`, {
    items: Array.from({ length: count }, (_, question) => ({ jsonData: { question } })),
  });
  const testcaseIds = items.map(({ id }: { id: string }) => id);
  const metricId = (await made(`/projects/${projectId}/metrics`, { ...judgeOfPairs, ...metric }))
    .id;
  const runIds: string[] = [];
  for (const own of answers) {
    const run = await made(`/projects/${projectId}/runs`, {
      metricIds: [],
      testsetId: testset.id,
    });
    runIds.push(run.id);
    const records = own.map((text, place) => ({
      testcaseId: testcaseIds[place],
      inputs: { question: place },
      expected: {},
      outputs: { answer: text },
    }));
    await upload(request, run.id, records);
  }
  return { projectId, metricId, testsetId: testset.id, testcaseIds, runIds };
}

/** Stores records in one request, in their order. */
async function upload(request: World['request'], runId: string, records: object[]): Promise<void> {
  const raw = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { text } = await request('POST', `/runs/${runId}/records/bulk`, undefined, {
    raw,
    headers,
  });
  const refused = text.split('\n').find((line) => line !== '' && JSON.parse(line).status !== 201);
  if (refused !== undefined) throw new Error(refused);
}
