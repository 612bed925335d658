import { randomUUID } from 'node:crypto';
import {
  type Call,
  type MockProviders,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';

const answer = 'It arrives tomorrow.';
const parcel = { parcel: 7 };

/**
 * A model that asks for a tool where it has one, and answers when it has the result. Each call
 * reads 300 of its 412 tokens from a cache and writes 67; no two answers have the same id.
 */
export const startModel = (): Promise<MockProviders> =>
  startMockProviders((call) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(answerOf(call)),
  }));

function answerOf({ path, body }: Call): object {
  if (path.endsWith('messages')) return anthropicMessage(body);
  if (path.endsWith('responses')) return response(body);
  if (path.endsWith('embeddings')) return embedding(body);
  return chatCompletion(body);
}

interface Message {
  role: string;
  content?: unknown;
}

const isResult = ({ role, content }: Message): boolean =>
  role === 'tool' ||
  (Array.isArray(content) && content.some(({ type }: { type: string }) => type === 'tool_result'));

/** Whether the model has a tool, and nothing of the tool yet. */
const asksForTool = ({ tools, messages }: { tools?: unknown[]; messages: Message[] }): boolean =>
  Boolean(tools?.length) && !isResult(messages.at(-1)!);

function chatCompletion(body: { model: string; tools?: unknown[]; messages: Message[] }): object {
  const isAsking = asksForTool(body);
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'track', arguments: JSON.stringify(parcel) },
  };
  const message = isAsking ? { content: null, tool_calls: [call] } : { content: answer };
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: 1,
    model: body.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message },
        finish_reason: isAsking ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: 412,
      completion_tokens: 67,
      total_tokens: 479,
      prompt_tokens_details: { cached_tokens: 300 },
    },
  };
}

const response = ({ model }: { model: string }): object => ({
  id: `resp_${randomUUID()}`,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model,
  output: [
    {
      type: 'message',
      id: `msg_${randomUUID()}`,
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: answer, annotations: [] }],
    },
  ],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: {
    input_tokens: 412,
    input_tokens_details: { cached_tokens: 300 },
    output_tokens: 67,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 479,
  },
});

const embedding = ({ model }: { model: string }): object => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
  model,
  usage: { prompt_tokens: 8, total_tokens: 8 },
});

function anthropicMessage(body: { model: string; tools?: unknown[]; messages: Message[] }): object {
  const isAsking = asksForTool(body);
  return {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: isAsking
      ? [{ type: 'tool_use', id: 'call_1', name: 'track', input: parcel }]
      : [{ type: 'text', text: answer }],
    stop_reason: isAsking ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 112,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 0,
      output_tokens: 67,
    },
  };
}
