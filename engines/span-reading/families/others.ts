import { type Finding, jsonAt, valueAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { messagesAt } from './messages-at.ts';
import { numberIn } from './number-in.ts';

const values =
  (...keys: string[]) =>
  ({ attributes }: SpanSource) =>
    valueAt(attributes, keys);

function unquoted(found: Finding<unknown> | undefined): Finding<string> | undefined {
  return typeof found?.value === 'string' && found.value !== ''
    ? { value: found.value, from: found.from }
    : undefined;
}

/** Names that single frameworks give. */
export const others: Family[] = [
  {
    // MLflow, which writes every value as JSON
    operation: {
      attribute: 'mlflow.spanType',
      names: {
        '"llm"': 'chat',
        '"chat_model"': 'chat',
        '"tool"': 'tool',
        '"agent"': 'agent',
        '"retriever"': 'retrieval',
        '"reranker"': 'retrieval',
        '"embedding"': 'embedding',
        '"evaluator"': 'evaluation',
        '"chain"': 'workflow',
      },
    },
    model: ({ attributes }) => unquoted(jsonAt(attributes, ['mlflow.llm.model'])),
    provider: ({ attributes }) => unquoted(jsonAt(attributes, ['mlflow.llm.provider'])),
    input: ({ attributes }) => jsonAt(attributes, ['mlflow.spanInputs']),
    output: ({ attributes }) => jsonAt(attributes, ['mlflow.spanOutputs']),
    inputTokens: numberIn('mlflow.chat.tokenUsage', 'input_tokens'),
    outputTokens: numberIn('mlflow.chat.tokenUsage', 'output_tokens'),
    totalTokens: numberIn('mlflow.chat.tokenUsage', 'total_tokens'),
    cacheRead: numberIn('mlflow.chat.tokenUsage', 'cache_read_input_tokens'),
    cacheCreation: numberIn('mlflow.chat.tokenUsage', 'cache_creation_input_tokens'),
    costUsd: numberIn('mlflow.llm.cost', 'total_cost'),
  },
  {
    // Pydantic AI: the whole conversation with its answer, which is cut
    inputMessages: messagesAt('user', 'pydantic_ai.all_messages', 'all_messages_events'),
    output: values('final_result'),
  },
  {
    // Google's Agent Development Kit
    input: values('gcp.vertex.agent.llm_request', 'gcp.vertex.agent.tool_call_args'),
    output: values('gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response'),
    sessionId: ['gcp.vertex.agent.session_id'],
  },
  {
    // LiveKit
    input: values('lk.user_input', 'lk.input_text', 'lk.function_tool.arguments'),
    output: values('lk.response.text', 'lk.function_tool.output'),
  },
  { input: values('tool_arguments'), output: values('tool_response') },
];
