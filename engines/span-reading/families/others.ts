import { jsonAt, valueAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { messagesOf } from '../messages.ts';

const values =
  (...keys: string[]) =>
  ({ attributes }: SpanSource) =>
    valueAt(attributes, keys);

const messages =
  (role: string, ...keys: string[]) =>
  ({ attributes }: SpanSource) => {
    const found = valueAt(attributes, keys);
    const value = found && messagesOf(found.value, role);
    return value && { value, from: found.from };
  };

/** Names that single frameworks give. */
export const others: Family[] = [
  {
    // Langfuse
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
    input: values('langfuse.observation.input', 'langfuse.trace.input'),
    output: values('langfuse.observation.output', 'langfuse.trace.output'),
    sessionId: ['langfuse.session.id'],
    userId: ['langfuse.user.id'],
  },
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
    input: ({ attributes }) => jsonAt(attributes, ['mlflow.spanInputs']),
    output: ({ attributes }) => jsonAt(attributes, ['mlflow.spanOutputs']),
  },
  {
    // Pydantic AI
    inputMessages: messages('user', 'pydantic_ai.all_messages', 'all_messages_events'),
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
