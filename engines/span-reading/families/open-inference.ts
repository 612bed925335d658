import { unflattened, valueAt } from '../attributes.ts';
import type { Family } from '../family.ts';
import { flattenedMessages } from './flattened-messages.ts';

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
  inputMessages: flattenedMessages('llm.input_messages', 'user'),
  outputMessages: flattenedMessages('llm.output_messages', 'assistant'),
  // Messages say more than the value, which is the provider's whole request.
  input: ({ attributes }, messages) =>
    messages() ?? valueAt(attributes, ['input.value', 'tool.parameters', 'llm.prompts']),
  output: ({ attributes }, messages) =>
    messages() ??
    valueAt(attributes, ['output.value']) ??
    unflattened(attributes, 'retrieval.documents'),
  inputTokens: ['llm.token_count.prompt'],
  outputTokens: ['llm.token_count.completion'],
  totalTokens: ['llm.token_count.total'],
  cacheRead: ['llm.token_count.prompt_details.cache_read'],
  cacheCreation: ['llm.token_count.prompt_details.cache_write'],
  reasoning: ['llm.token_count.completion_details.reasoning'],
  costUsd: ['llm.cost.total'],
};
