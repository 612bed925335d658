import { isObject } from '@assay/json/value';
import { type Finding, firstWithContent, textAt, unflattened, valueAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { flattenedMessages } from './flattened-messages.ts';

/** A call that failed has no model but the one that was asked, among its parameters. */
function openInferenceModel({ attributes }: SpanSource): Finding<string> | undefined {
  const found = textAt(attributes, [
    'llm.model_name',
    'embedding.model_name',
    'llm.request.model_name',
  ]);
  if (found) return found;
  const parameters = valueAt(attributes, ['llm.invocation_parameters']);
  const model = isObject(parameters?.value) ? parameters.value.model : undefined;
  return typeof model === 'string' && model !== ''
    ? { value: model, from: 'llm.invocation_parameters' }
    : undefined;
}

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
  model: openInferenceModel,
  provider: ['llm.provider', 'llm.system'],
  inputMessages: flattenedMessages('llm.input_messages', 'user'),
  outputMessages: flattenedMessages('llm.output_messages', 'assistant'),
  // Messages say more than the value, which is the provider's whole request.
  input: ({ attributes }, messages) =>
    messages() ?? valueAt(attributes, ['input.value', 'tool.parameters', 'llm.prompts']),
  output: ({ attributes }, messages) =>
    messages() ??
    firstWithContent([
      valueAt(attributes, ['output.value']),
      unflattened(attributes, 'retrieval.documents'),
    ]),
  inputTokens: ['llm.token_count.prompt'],
  outputTokens: ['llm.token_count.completion'],
  totalTokens: ['llm.token_count.total'],
  cacheRead: ['llm.token_count.prompt_details.cache_read'],
  cacheCreation: ['llm.token_count.prompt_details.cache_write'],
  reasoning: ['llm.token_count.completion_details.reasoning'],
  costUsd: ['llm.cost.total'],
};
