import { poll } from '@assay/testing/poll';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import type { Call } from './installation.ts';
import { uploadRecords } from './records.ts';

const testcasesCount = 48;
/** People's scores, in the order of the testcases: enough for a correction. */
const labelsCount = 36;

const isRight = {
  baseline: (place: number): boolean => place % 2 === 0,
  candidate: (place: number): boolean => place % 2 === 0 && place !== 2,
};

/** What a judge says that lets every right answer pass, and each one that is polite. */
export const judgeKindly: Parameters<typeof startMockProviders>[0] = ({ body }) => {
  const prompt = JSON.stringify(body);
  return say({ reasoning: 'So.', binaryScore: /answer-(right|polite)/.test(prompt) });
};

export const startKindJudge = (): Promise<MockProviders> => startMockProviders(judgeKindly);

export interface JudgedRuns {
  projectId: string;
  baselineRunId: string;
  candidateRunId: string;
  judgeId: string;
  humanMetricId: string;
}

/**
 * Two runs that a judge scored: the candidate is right once less, and polite where it is wrong,
 * which the judge takes for right. People scored some testcases of both runs, in a metric of their
 * own, and with `overrides` the judge's metric too.
 */
export async function makeJudgedRuns(call: Call, { overrides = true } = {}): Promise<JudgedRuns> {
  const create = async (path: string, body: unknown) => (await call('POST', path, body)).body;
  const projectId = (await create('/projects', { name: 'Judged', description: '' })).id;
  const testset = await create(`/projects/${projectId}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {} } },
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
  const { items } = await create(`/testsets/${testset.id}/testcases`, {
    items: Array.from({ length: testcasesCount }, (_, index) => ({
      jsonData: { question: `${index}?` },
    })),
  });
  const judge = await create(`/projects/${projectId}/metrics`, {
    name: 'Right, by a judge',
    evalType: 'ai',
    outputType: 'boolean',
    evalModelName: 'openai/gpt-4o',
    promptTemplate: 'answer: {{ outputs.answer }}',
  });
  const human = await create(`/projects/${projectId}/metrics`, {
    name: 'Right, by people',
    evalType: 'human',
    outputType: 'boolean',
  });
  const run = async (side: keyof typeof isRight) => {
    const { id, metricVersionIds } = await create(`/projects/${projectId}/runs`, {
      name: side === 'baseline' ? 'Before' : 'After',
      testsetId: testset.id,
      metricIds: [judge.id, human.id],
    });
    const wrong = side === 'baseline' ? 'answer-wrong' : 'answer-polite';
    const recordIds = await uploadRecords(
      call,
      id,
      items.map(({ id: testcaseId, inputs, expected }: Record<string, unknown>, place: number) => {
        const outputs = { answer: isRight[side](place) ? 'answer-right' : wrong };
        return { testcaseId, inputs, expected, outputs };
      }),
    );
    await poll(
      'the run is judged',
      async () => (await call('GET', `/runs/${id}`)).body.scoring.scored >= testcasesCount,
    );
    const versions = overrides ? metricVersionIds : metricVersionIds.slice(1);
    for (const versionId of versions)
      await Promise.all(
        recordIds.slice(0, labelsCount).map((recordId, place) =>
          call('PUT', `/records/${recordId}/scores/${versionId}`, {
            score: { value: isRight[side](place) },
          }),
        ),
      );
    return id as string;
  };
  return {
    projectId,
    baselineRunId: await run('baseline'),
    candidateRunId: await run('candidate'),
    judgeId: judge.id,
    humanMetricId: human.id,
  };
}
