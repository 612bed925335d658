/** Answers of the API of Langfuse, and exports of its pages. */
export const item = {
  id: 'item-1',
  datasetName: 'Capitals',
  input: { question: 'Capital of France?' },
  expectedOutput: '"{\\"city\\": \\"Paris\\"}"'.replace(/^"|"$/g, ''),
  metadata: { level: 1 },
  status: 'ARCHIVED',
  sourceTraceId: 'trace-0',
  sourceObservationId: null,
};
export const plain = { ...item, expectedOutput: { city: 'Paris' } };
export const run = {
  name: 'first',
  datasetName: 'Capitals',
  datasetRunItems: [
    {
      id: 'ri',
      datasetRunName: 'first',
      datasetItemId: 'item-1',
      traceId: 'trace-1',
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  ],
};
export const trace = {
  id: 'trace-1',
  name: 'capital-bot',
  output: { answer: 'Paris' },
  latency: 0.25,
  totalCost: 0.01,
  metadata: { a: 1 },
  scores: [],
};
export const score = (name: string, value: unknown, more = {}) => ({
  id: `s-${name}`,
  traceId: 'trace-1',
  name,
  value,
  dataType: 'NUMERIC',
  source: 'API',
  ...more,
});
