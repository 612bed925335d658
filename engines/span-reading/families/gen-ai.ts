import { type Finding, firstWithContent, textAt, valueAt } from '../attributes.ts';
import { hasContent } from '../content.ts';
import type { Family, SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';
import { messagesAt } from './messages-at.ts';

export const genAiOperations = {
  chat: 'chat',
  text_completion: 'chat',
  generate_content: 'chat',
  execute_tool: 'tool',
  invoke_agent: 'agent',
  create_agent: 'agent',
  embeddings: 'embedding',
  retrieval: 'retrieval',
  invoke_workflow: 'workflow',
  plan: 'workflow',
} as const;

const inputMessages = messagesAt('user', 'gen_ai.input.messages');

function instructions({ attributes }: SpanSource): Finding<Message[]> | undefined {
  const found = valueAt(attributes, ['gen_ai.system_instructions']);
  if (!found || !hasContent(found.value)) return undefined;
  const value = messagesOf({ role: 'system', content: found.value }, 'system');
  return value && { value, from: found.from };
}

/** OpenTelemetry's conventions for generative AI since 1.37, on the attributes of a span. */
export const genAi: Family = {
  operation: { attribute: 'gen_ai.operation.name', names: genAiOperations },
  model: ['gen_ai.response.model', 'gen_ai.request.model'],
  provider: ['gen_ai.provider.name'],
  inputMessages,
  outputMessages: messagesAt('assistant', 'gen_ai.output.messages'),
  instructions,
  input: ({ attributes }, messages) =>
    firstWithContent([
      valueAt(attributes, ['gen_ai.tool.call.arguments', 'gen_ai.retrieval.query.text']),
      messages(),
    ]),
  output: ({ attributes }, messages) =>
    firstWithContent([
      valueAt(attributes, ['gen_ai.tool.call.result', 'gen_ai.retrieval.documents']),
      messages(),
    ]),
  inputTokens: ['gen_ai.usage.input_tokens'],
  outputTokens: ['gen_ai.usage.output_tokens'],
  totalTokens: ['gen_ai.usage.total_tokens'],
  cacheRead: ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'],
  cacheCreation: [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    // Anthropic's own client
    'gen_ai.usage.cache_write.input_tokens',
  ],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    // Pydantic AI
    'gen_ai.usage.details.reasoning_tokens',
  ],
  // The last two are those of LiteLLM and of Pydantic AI.
  costUsd: [
    'gen_ai.usage.cost',
    'gen_ai.usage.total_cost',
    'gen_ai.cost.total_cost',
    'operation.cost',
  ],
  responseId: ['gen_ai.response.id'],
  sessionId: ['gen_ai.conversation.id'],
};

/** The event in which the same content may stand. */
const detailsEvent = 'gen_ai.client.inference.operation.details';

const inEvent =
  <Value>(read: (source: SpanSource) => Finding<Value> | undefined) =>
  ({ events }: SpanSource): Finding<Value> | undefined => {
    for (const { name, attributes } of events) {
      if (name !== detailsEvent) continue;
      const found = read({ attributes, events: [] });
      if (found) return { ...found, from: `${name}: ${found.from}` };
    }
    return undefined;
  };

/** The same conventions where the content stands in an event. */
export const genAiDetails: Family = {
  model: inEvent(({ attributes }) => textAt(attributes, genAi.model as readonly string[])),
  inputMessages: inEvent(inputMessages),
  outputMessages: inEvent(messagesAt('assistant', 'gen_ai.output.messages')),
  instructions: inEvent(instructions),
};
