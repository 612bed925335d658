import { poll } from '@assay/testing/poll';
import { promptfoo } from '../../cli/test/promptfoo.ts';
import type { MockProviders } from '../../services/scoring/test/mock-providers.ts';
import type { Installation } from '../system/installation.ts';
import { pythonPackages } from '../system/packages.ts';
import {
  harnessFiles,
  inspectLog,
  langsmithExamples,
  langsmithExperiment,
  startEvalsApi,
} from './exports.ts';
import type { Reader } from './reader.ts';

/** What a page takes for granted, beside the files that `prepare` writes. */
interface Premises {
  environment?: Record<string, string>;
  /** Of the shell into which the page is pasted. */
  variables?: Record<string, string>;
  /** Texts of the page that are something else here. */
  replaced?: Record<string, string>;
  stop?: () => void;
}

type Prepare = (
  reader: Reader,
  installation: { assay: Installation; judge: MockProviders },
) => Promise<Premises | undefined>;

const questions = [
  { id: '1', question: 'Italy?', answer: 'Rome' },
  { id: '2', question: 'Norway?', answer: 'Oslo' },
];
const csvOf = (rows: Record<string, string>[]) =>
  `${[Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((row) => row.join(',')).join('\n')}\n`;
const linesOf = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Makes a project "Support", whose testset "Questions" is answered by runs with these labels. */
async function makeSupport({ call }: Reader, answers: { branch: string; answer: string }[] = []) {
  const create = async (path: string, body: object) => (await call('POST', path, body)).body;
  const project = await create('/projects', { name: 'Support', description: '' });
  const testset = await create(`/projects/${project.id}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {}, answer: {} } },
    fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
  });
  const { items } = await create(`/testsets/${testset.id}/testcases`, {
    items: questions.map(({ question, answer }) => ({ jsonData: { question, answer } })),
  });
  const metric = await create(`/projects/${project.id}/metrics`, {
    name: 'Same answer',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { output: '/answer', expected: '/answer' } },
  });
  for (const { branch, answer } of answers) {
    const run = await create(`/projects/${project.id}/runs`, {
      testsetId: testset.id,
      metricIds: [metric.id],
      labels: { branch },
    });
    for (const { id: testcaseId, inputs, expected } of items)
      await create(`/runs/${run.id}/records`, {
        testcaseId,
        inputs,
        expected,
        outputs: { answer },
      });
  }
  return { projectId: project.id, testsetId: testset.id, metricId: metric.id };
}

/** Two runs that a judge scored, which are the newest of the only project. */
const judgedRuns: Prepare = async ({ call }) => {
  const create = async (path: string, body: object) => (await call('POST', path, body)).body;
  const project = await create('/projects', { name: 'Judged', description: '' });
  const testset = await create(`/projects/${project.id}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {} } },
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
  const { items } = await create(`/testsets/${testset.id}/testcases`, {
    items: Array.from({ length: 24 }, (_, index) => ({ jsonData: { question: `${index}?` } })),
  });
  const judge = await create(`/projects/${project.id}/metrics`, {
    name: 'Right',
    evalType: 'ai',
    outputType: 'boolean',
    evalModelName: 'openai/gpt-4o',
    promptTemplate: 'answer: {{ outputs.response }}',
  });
  const runIds: string[] = [];
  for (const name of ['Before', 'After']) {
    const { id } = await create(`/projects/${project.id}/runs`, {
      name,
      testsetId: testset.id,
      metricIds: [judge.id],
    });
    for (const [index, { id: testcaseId, inputs, expected }] of items.entries()) {
      const isRight = index % 2 === 0 && name === 'Before';
      const outputs = { response: isRight ? 'answer-right' : `answer-wrong ${index}` };
      await create(`/runs/${id}/records`, { testcaseId, inputs, expected, outputs });
    }
    await poll(
      'the run is judged',
      async () => (await call('GET', `/runs/${id}`)).body.scoring.pending === 0,
    );
    runIds.push(id);
  }
  const [BASELINE, CANDIDATE] = runIds as [string, string];
  return { variables: { PROJECT: project.id, BASELINE, CANDIDATE } };
};

/** By page; a page that is not here takes nothing for granted but a server. */
export const takenForGranted: Record<string, Prepare> = {
  'docs/reading-a-comparison.md': judgedRuns,
  'docs/comparing-by-pairs.md': judgedRuns,
  'docs/judge-templates.md': async (reader) => {
    const { projectId } = await makeSupport(reader);
    return { variables: { PROJECT: projectId } };
  },
  'docs/moving-projects.md': async (reader) => {
    const { projectId } = await makeSupport(reader);
    return { variables: { PROJECT: projectId } };
  },
  'docs/gate-in-ci.md': async (reader) => {
    await makeSupport(reader, [
      { branch: 'main', answer: 'Rome' },
      { branch: 'shorter', answer: 'Rome' },
    ]);
    return { variables: { BRANCH: 'shorter' } };
  },
  'docs/operations.md': async ({ call }) => {
    const { body: me } = await call('GET', '/me');
    const { body: made } = await call('POST', '/api-keys', { name: 'old', role: 'member' });
    return { variables: { ORGANIZATION: me.organization.id, API_KEY_ID: made.id } };
  },
  'docs/command-line.md': async ({ write }) => {
    await write('results.json', promptfoo(3));
    await write('questions.jsonl', linesOf(questions));
    await write('questions.csv', csvOf(questions));
    await write('questions.schema.json', {
      type: 'object',
      properties: { question: {}, answer: {} },
    });
    await write('prompts/helpful.jinja', 'Is this helpful? {{ outputs.answer }}\n');
    await write('prompts/helpful.md', 'Helpful: it says what to do next.\n');
    await write('answer.py', answerPy);
    await write('logs/one.json', inspectLog('small/one', 2, 3));
  },
  'docs/from-promptfoo.md': async ({ write }) => {
    await write(
      'promptfooconfig.yaml',
      `description: Questions
prompts: ['Answer: {{question}}']
providers: [openai:gpt-4o-mini]
tests:
  - vars: { question: Italy? }
    assert: [{ type: icontains, value: Rome, metric: Right city }, { type: llm-rubric, value: Be polite., metric: Polite }]
`,
    );
    await write('results.json', promptfoo(3));
  },
  'docs/from-openai-evals.md': async () => {
    const { url, stop } = await startEvalsApi();
    return { replaced: { 'https://api.openai.com/v1': url }, stop };
  },
  'docs/from-langsmith.md': async ({ write }) => {
    await write('capitals.jsonl', langsmithExamples);
    await write('first.csv', langsmithExperiment('r1'));
    await write('second.csv', langsmithExperiment('r2'));
  },
  'docs/from-inspect.md': async ({ write }) => {
    await write('logs/one.json', inspectLog('small/one', 2, 12));
    await write('logs/two.json', inspectLog('small/two', 9, 12));
  },
  'docs/from-lm-evaluation-harness.md': async ({ write }) => {
    for (const [model, right] of [
      ['one', 2],
      ['two', 9],
    ] as const)
      for (const [name, content] of Object.entries(harnessFiles(`small/${model}`, right, 12)))
        await write(`results/small__${model}/${name}`, content);
  },
  'docs/review-with-a-team.md': async (reader) => {
    await makeSupport(reader, [{ branch: 'main', answer: 'Rome' }]);
  },
  'docs/from-langfuse.md': async ({ write }) => {
    const item = {
      id: 'item-1',
      datasetName: 'Questions',
      input: { question: 'Italy?' },
      expectedOutput: { city: 'Rome' },
      status: 'ACTIVE',
    };
    const runItem = { datasetRunName: 'first', datasetItemId: 'item-1', traceId: 'trace-1' };
    const trace = { id: 'trace-1', name: 'bot', input: item.input, output: { answer: 'Rome' } };
    const score = {
      id: 'score-1',
      traceId: 'trace-1',
      name: 'tone',
      value: 1,
      stringValue: 'good',
      dataType: 'CATEGORICAL',
    };
    await write('dataset-items.jsonl', item);
    await write('langfuse/items.json', { data: [item] });
    await write('langfuse/run.json', { name: 'first', datasetRunItems: [runItem] });
    await write('langfuse/traces.json', { data: [trace] });
    await write('langfuse/scores.json', { data: [score] });
  },
  'docs/from-scorecard.md': async (reader, { assay }) => {
    const packages = await pythonPackages('scorecard-ai==3.10.0');
    const { projectId, testsetId, metricId } = await makeSupport(reader);
    return {
      ...(packages && { environment: { PYTHONPATH: packages } }),
      replaced: {
        'project_id="…"': `project_id="${projectId}"`,
        'testset_id="…"': `testset_id="${testsetId}"`,
        'metric_ids=["…"]': `metric_ids=["${metricId}"]`,
        'http://127.0.0.1:4400/api/v2': `${assay.url}/api/v2`,
      },
    };
  },
};

const answerPy = `import json, sys
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"id": call["id"], "outputs": {"answer": "Rome"}}), flush=True)
`;
