const assertions = [
  { type: 'equals', value: 'Paris' },
  { type: 'llm-rubric', value: 'Is polite', metric: 'Polite' },
];

export const row = {
  testIdx: 0,
  promptIdx: 0,
  promptId: 'p0',
  vars: { country: 'France' },
  testCase: {
    description: 'Europe',
    vars: { country: 'France' },
    assert: assertions,
    metadata: { level: 1 },
  },
  provider: { id: 'openai:small-1', label: 'Small' },
  prompt: { raw: 'Capital of {{country}}?', label: 'Plain' },
  response: { output: 'Paris', tokenUsage: { total: 30, prompt: 20, completion: 10 } },
  latencyMs: 120,
  cost: 0.002,
  success: true,
  score: 0.75,
  failureReason: 0,
  namedScores: { Polite: 0.5, brevity: 0.25 },
  gradingResult: {
    pass: true,
    score: 0.75,
    reason: 'All assertions passed',
    componentResults: [
      { pass: true, score: 1, reason: 'equal', assertion: assertions[0] },
      { pass: true, score: 0.5, reason: 'mostly', assertion: assertions[1] },
    ],
  },
};

/** The document of `promptfoo eval -o`. */
export const output = (rows: unknown[], version = 3) => ({
  'out.json': {
    evalId: 'eval-1',
    results: {
      version,
      timestamp: '2026-11-01T00:00:00Z',
      prompts: [],
      results: rows,
      stats: {},
      ...(version === 2 ? { table: { head: {}, body: [row] } } : {}),
    },
    config: { description: 'Capitals' },
    shareableUrl: null,
  },
});
