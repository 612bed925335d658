import { type Finding, unflattened, valueAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';

const flattened =
  (prefix: string, role: string) =>
  ({ attributes }: SpanSource): Finding<Message[]> | undefined => {
    const found = unflattened(attributes, prefix);
    const value = found && messagesOf(found.value, role);
    return value && { value, from: found.from };
  };

const inputMessages = flattened('gen_ai.prompt', 'user');
const outputMessages = flattened('gen_ai.completion', 'assistant');

/** OpenLLMetry, of Traceloop. */
export const traceloop: Family = {
  operation: {
    attribute: 'traceloop.span.kind',
    names: { workflow: 'workflow', task: 'workflow', agent: 'agent', tool: 'tool' },
  },
  model: ['llm.response.model', 'llm.request.model'],
  provider: ['llm.vendor'],
  inputMessages,
  outputMessages,
  input: (source) =>
    inputMessages(source) ?? valueAt(source.attributes, ['traceloop.entity.input']),
  output: (source) =>
    outputMessages(source) ?? valueAt(source.attributes, ['traceloop.entity.output']),
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
