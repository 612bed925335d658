import { type Finding, jsonAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { calledWith } from './called-with.ts';
import { numberIn } from './number-in.ts';

const usage = 'langfuse.observation.usage_details';
const cached = ['input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens'];
const written = ['input_cache_creation', 'cache_creation_input_tokens'];

/** The arguments of a decorated function. */
function observedInput({ attributes }: SpanSource): Finding<unknown> | undefined {
  const found = jsonAt(attributes, ['langfuse.observation.input', 'langfuse.trace.input']);
  return found && { ...found, value: calledWith(found.value) };
}

/** The SDKs of Langfuse. */
export const langfuse: Family = {
  operation: {
    attribute: 'langfuse.observation.type',
    names: {
      generation: 'chat',
      tool: 'tool',
      agent: 'agent',
      retriever: 'retrieval',
      embedding: 'embedding',
      evaluator: 'evaluation',
      guardrail: 'evaluation',
      chain: 'workflow',
    },
  },
  model: ['langfuse.observation.model.name'],
  input: observedInput,
  output: ({ attributes }) =>
    jsonAt(attributes, ['langfuse.observation.output', 'langfuse.trace.output']),
  inputTokens: numberIn(usage, 'input', 'prompt_tokens', 'input_tokens'),
  outputTokens: numberIn(usage, 'output', 'completion_tokens', 'output_tokens'),
  totalTokens: numberIn(usage, 'total', 'total_tokens'),
  cacheRead: numberIn(usage, ...cached),
  cacheCreation: numberIn(usage, ...written),
  reasoning: numberIn(usage, 'output_reasoning_tokens', 'output_reasoning'),
  costUsd: numberIn('langfuse.observation.cost_details', 'total'),
  sessionId: ['langfuse.session.id'],
  userId: ['langfuse.user.id'],
};
