import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What other tools export, in their own shapes. */

const evaluation = {
  object: 'eval',
  id: 'eval_1',
  name: 'Capitals',
  data_source_config: {
    type: 'custom',
    schema: {
      type: 'object',
      properties: {
        item: {
          type: 'object',
          properties: { question: { type: 'string' }, answer: { type: 'string' } },
          required: ['question', 'answer'],
        },
      },
    },
  },
  testing_criteria: [
    {
      type: 'string_check',
      name: 'Same',
      operation: 'eq',
      input: '{{ sample.output_text }}',
      reference: '{{ item.answer }}',
    },
  ],
};
const evaluationRun = {
  object: 'eval.run',
  id: 'evalrun_1',
  eval_id: 'eval_1',
  name: 'First',
  model: 'small-1',
  status: 'completed',
  created_at: 1_760_000_000,
  data_source: {
    input_messages: {
      type: 'template',
      template: [{ role: 'user', content: '{{ item.question }}' }],
    },
    sampling_params: { temperature: 0 },
  },
};
const outputItems = [
  ['France', 'Paris', 'Paris'],
  ['Italy', 'Rome', 'Milan'],
].map(([country, answer, output], index) => ({
  object: 'eval.run.output_item',
  id: `outputitem_${index}`,
  run_id: 'evalrun_1',
  eval_id: 'eval_1',
  datasource_item_id: index,
  datasource_item: { question: `Capital of ${country}?`, answer },
  status: output === answer ? 'pass' : 'fail',
  results: [
    {
      name: 'Same-0b1c2d3e-1111-2222-3333-444455556666',
      score: output === answer ? 1 : 0,
      passed: output === answer,
    },
  ],
  sample: {
    model: 'small-1',
    input: [{ role: 'user', content: `Capital of ${country}?` }],
    output: [{ role: 'assistant', content: output }],
    usage: { total_tokens: 12, completion_tokens: 2, prompt_tokens: 10, cached_tokens: 0 },
    error: { code: '', message: '' },
  },
}));

/** OpenAI's Evals API with one eval, whose lists come one item a page. */
export async function startEvalsApi() {
  const server = createServer(({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url!, 'http://127.0.0.1');
    const page = (all: { id: string }[]) => {
      const after = searchParams.get('after');
      const start = after ? all.findIndex(({ id }) => id === after) + 1 : 0;
      return {
        object: 'list',
        data: all.slice(start, start + 1),
        has_more: start + 1 < all.length,
      };
    };
    const replies: Record<string, object> = {
      '/v1/evals/eval_1': evaluation,
      '/v1/evals/eval_1/runs': page([evaluationRun]),
      '/v1/evals/eval_1/runs/evalrun_1/output_items': page(outputItems),
    };
    const reply = headers.authorization?.startsWith('Bearer ') ? replies[pathname] : undefined;
    response.writeHead(reply ? 200 : 404).end(JSON.stringify(reply ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => void server.close() };
}

/** A log of Inspect about this many samples, of which the model got this many right. */
export const inspectLog = (model: string, right: number, count: number) => ({
  version: 2,
  status: 'success',
  eval: {
    eval_id: `eval of ${model}`,
    run_id: `run of ${model}`,
    created: '2026-11-24T01:34:47+00:00',
    task: 'capitals',
    task_version: 0,
    task_args: {},
    dataset: { name: 'cities', samples: count },
    model,
    model_generate_config: { temperature: 0 },
  },
  plan: { name: 'plan', steps: [{ solver: 'generate', params: {} }] },
  samples: Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    epoch: 1,
    input: `Capital ${index}?`,
    target: 'Paris',
    messages: [],
    output: { model, choices: [], completion: index < right ? 'Paris' : 'Rome', usage: {} },
    scores: { match: { value: index < right ? 'C' : 'I', explanation: 'Compared.', history: [] } },
    metadata: {},
    total_time: 0.5,
  })),
});

/** The two files of lm_eval about one model; see `inspectLog`. */
export const harnessFiles = (model: string, right: number, count: number) => ({
  'samples_gsm8k_2026-01-02T03-04-05.123456.jsonl': Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      doc_id: index,
      doc: { question: `${index}+2?`, answer: `#### ${index + 2}` },
      target: `${index + 2}`,
      arguments: { gen_args_0: { arg_0: `Q: ${index}+2?\nA:`, arg_1: {} } },
      resps: [['It is so']],
      filtered_resps: ['so'],
      filter: 'strict-match',
      metrics: ['exact_match'],
      doc_hash: 'd',
      prompt_hash: 'p',
      target_hash: 't',
      exact_match: index < right ? 1.0 : 0.0,
    }),
  ).join('\n'),
  'results_2026-01-02T03-04-05.123456.json': {
    results: { gsm8k: {} },
    configs: { gsm8k: { num_fewshot: 5 } },
    config: { model: 'hf', model_args: `pretrained=${model}` },
    git_hash: 'abc',
    model_name: model,
  },
});

export const langsmithExamples = `${JSON.stringify({
  id: 'e1',
  inputs: { question: 'Capital of France?' },
  outputs: { answer: 'Paris' },
  metadata: { level: 1 },
  split: ['test'],
})}\n`;

export const langsmithExperiment = (id: string) =>
  `id,example_id,inputs.question,reference_outputs.answer,outputs,feedback.correct,feedback.tone,latency,error
${id},e1,Capital of France?,Paris,"{""answer"": ""Paris""}",1,warm,1.5,
`;
