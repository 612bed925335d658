import { zipOf } from './archive.ts';

export const header = {
  version: 2,
  status: 'success',
  eval: {
    eval_id: 'ev1',
    run_id: 'r1',
    created: '2026-11-24T01:34:47+00:00',
    task: 'capitals',
    task_version: 0,
    task_args: { few: 2 },
    dataset: { name: 'cities', samples: 1 },
    model: 'small/one',
    model_generate_config: { temperature: 0 },
    revision: { type: 'git', commit: 'abc' },
  },
  plan: { name: 'plan', steps: [{ solver: 'generate', params: {} }] },
};
export const sample = {
  id: 'fr',
  epoch: 1,
  input: 'Capital of France?',
  choices: ['Paris', 'Rome'],
  target: 'Paris',
  messages: [{ role: 'user', content: 'attachment://0a1b' }],
  output: { model: 'small/one', choices: [], completion: 'Paris', usage: {} },
  scores: { match: { value: 'C', answer: 'A', explanation: 'same', history: [] } },
  metadata: { region: 'eu' },
  attachments: { '0a1b': 'a long text' },
  model_usage: { 'small/one': { input_tokens: 18, output_tokens: 5, total_tokens: 23 } },
  total_time: 0.5,
  events: [{ event: 'model' }],
  events_data: { messages: [1], calls: [] },
};
export const json = (value: unknown) => Buffer.from(JSON.stringify(value));
export const archive = (
  samples: (typeof sample)[],
  method: 0 | 8 | 93 = 93,
  top: unknown = header,
) => ({
  'log.eval': zipOf([
    ...samples.map((one) => ({
      name: `samples/${one.id}_epoch_${one.epoch}.json`,
      bytes: json(one),
      method,
    })),
    { name: 'summaries.json', bytes: json([]), method },
    { name: 'header.json', bytes: json(top), method },
  ]),
});
