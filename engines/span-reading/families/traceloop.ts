import { type Finding, jsonAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { calledWith } from './called-with.ts';
import { flattenedMessages } from './flattened-messages.ts';

function entityInput({ attributes }: SpanSource): Finding<unknown> | undefined {
  const found = jsonAt(attributes, ['traceloop.entity.input']);
  return found && { ...found, value: calledWith(found.value) };
}

/** OpenLLMetry, of Traceloop. */
export const traceloop: Family = {
  operation: {
    attribute: 'traceloop.span.kind',
    names: { workflow: 'workflow', task: 'workflow', agent: 'agent', tool: 'tool' },
  },
  model: ['llm.response.model', 'llm.request.model'],
  provider: ['llm.vendor'],
  inputMessages: flattenedMessages('gen_ai.prompt', 'user'),
  outputMessages: flattenedMessages('gen_ai.completion', 'assistant'),
  input: (source, messages) => messages() ?? entityInput(source),
  output: ({ attributes }, messages) =>
    messages() ?? jsonAt(attributes, ['traceloop.entity.output']),
  inputTokens: ['llm.usage.prompt_tokens'],
  outputTokens: ['llm.usage.completion_tokens'],
  totalTokens: ['llm.usage.total_tokens'],
  sessionId: ['traceloop.association.properties.session_id'],
  userId: ['traceloop.association.properties.user_id'],
};

/** The kind of a request to a model, which it says beside the kind of a span. */
export const traceloopRequests: Family = {
  operation: {
    attribute: 'llm.request.type',
    names: {
      chat: 'chat',
      completion: 'chat',
      embedding: 'embedding',
      rerank: 'retrieval',
    },
  },
};
