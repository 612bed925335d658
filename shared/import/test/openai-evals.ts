/** What the Evals API of OpenAI answers. */
export const evaluation = {
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
    {
      type: 'label_model',
      name: 'Kind',
      model: 'small-1',
      input: [{ role: 'user', content: 'Is it kind?' }],
      labels: ['yes', 'no'],
      passing_labels: ['yes'],
    },
    {
      type: 'score_model',
      name: 'Clear',
      model: 'small-1',
      input: [{ role: 'user', content: { type: 'input_text', text: 'Rate it' } }],
      range: [0, 1],
    },
    { type: 'score_model', name: 'Stars', model: 'small-1', input: [], range: [1, 5] },
    {
      type: 'text_similarity',
      name: 'Near',
      evaluation_metric: 'rouge_l',
      reference: '{{ item.answer }}',
      input: '{{ sample.output_text }}',
      pass_threshold: 0.5,
    },
    {
      type: 'text_similarity',
      name: 'Meaning',
      evaluation_metric: 'cosine',
      reference: '{{ item.answer }}',
      input: '',
    },
    { type: 'python', name: 'Code', source: 'def grade(sample, item):\n    return 1.0' },
  ],
};
export const run = {
  object: 'eval.run',
  id: 'run_1',
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
export const item = {
  object: 'eval.run.output_item',
  id: 'outputitem_1',
  run_id: 'run_1',
  eval_id: 'eval_1',
  datasource_item_id: 4,
  datasource_item: { question: 'Capital of France?', answer: 'Paris' },
  status: 'pass',
  results: [
    {
      name: 'Same-0b1c2d3e-1111-2222-3333-444455556666',
      type: 'string-check-grader',
      score: 1,
      passed: true,
    },
    { name: 'Near', score: 0.8, passed: true, sample: null },
  ],
  sample: {
    model: 'small-1',
    input: [{ role: 'user', content: 'Capital of France?' }],
    output: [{ role: 'assistant', content: 'Paris' }],
    usage: { total_tokens: 12, completion_tokens: 2, prompt_tokens: 10, cached_tokens: 0 },
    error: { code: '', message: '' },
  },
};
