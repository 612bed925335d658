import { unflattened, valueAt } from '../attributes.ts';
import type { Family } from '../family.ts';
import { flattenedMessages } from './flattened-messages.ts';

const inputMessages = flattenedMessages('llm.input_messages', 'user');
const outputMessages = flattenedMessages('llm.output_messages', 'assistant');

/** OpenInference, as the instrumentations of Phoenix send it. */
export const openInference: Family = {
  operation: {
    attribute: 'openinference.span.kind',
    names: {
      llm: 'chat',
      tool: 'tool',
      agent: 'agent',
      retriever: 'retrieval',
      reranker: 'retrieval',
      embedding: 'embedding',
      evaluator: 'evaluation',
      guardrail: 'evaluation',
      chain: 'workflow',
      prompt: 'workflow',
    },
  },
  model: ['llm.model_name', 'embedding.model_name'],
  provider: ['llm.provider', 'llm.system'],
  inputMessages,
  outputMessages,
  // Messages say more than the value, which is the provider's whole request.
  input: (source) =>
    inputMessages(source) ??
    valueAt(source.attributes, ['input.value', 'tool.parameters', 'llm.prompts']),
  output: (source) =>
    outputMessages(source) ??
    valueAt(source.attributes, ['output.value']) ??
    unflattened(source.attributes, 'retrieval.documents'),
  inputTokens: ['llm.token_count.prompt'],
  outputTokens: ['llm.token_count.completion'],
  totalTokens: ['llm.token_count.total'],
  cacheRead: ['llm.token_count.prompt_details.cache_read'],
  cacheCreation: ['llm.token_count.prompt_details.cache_write'],
  reasoning: ['llm.token_count.completion_details.reasoning'],
  costUsd: ['llm.cost.total'],
};
