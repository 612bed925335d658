import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '@assay/runtime/config';
import { judgeConfig } from '../src/config.ts';
import type { ProviderName } from '../src/judges/providers.ts';

/** A request that arrived, in the provider's own form. */
export interface Call {
  provider: ProviderName;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: each provider has a form of its own
  body: any;
}

/**
 * What the mock does with a call: an answer in the provider's form, or something that no provider
 * should do.
 */
export type Reply =
  | { text: string; finish?: 'stop' | 'cut' | 'refused'; usage?: object | null }
  | { status: number; headers?: Record<string, string>; body?: string }
  | { never: 'anything' | 'the end' | 'enough' };

type Answer = (call: Call) => Reply | Promise<Reply>;

/** A text as a model says it. */
export const say = (answer: unknown): Reply => ({ text: JSON.stringify(answer) });

export type MockProviders = Awaited<ReturnType<typeof startMockProviders>>;

/**
 * The five providers on one port, answering over HTTP in their real formats; what they say is given
 * by `answer`.
 */
export async function startMockProviders(answer: Answer, wantedPort = 0) {
  const calls: Call[] = [];
  const connections = { broken: 0 };

  const server = createServer(async (request, response) => {
    const call = await receive(request);
    calls.push(call);
    response.on('close', () => {
      if (!response.writableFinished) connections.broken++;
    });
    send(response, call, await answer(call));
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  return {
    calls,
    connections,
    port,
    /** The configuration of judges that ask here, with all keys. */
    config: (changes: Record<string, string | undefined> = {}) =>
      readConfig(judgeConfig, { ...environmentOf(url), ...changes }),
    async stop(): Promise<void> {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const keys = {
  OPENAI_API_KEY: 'openai-key-0123456789',
  ANTHROPIC_API_KEY: 'anthropic-key-0123456789',
  GOOGLE_API_KEY: 'google-key-0123456789',
  COMPATIBLE_API_KEY: 'compatible-key-0123456789',
  BEDROCK_ACCESS_KEY_ID: 'BEDROCKACCESS0123456',
  BEDROCK_SECRET_ACCESS_KEY: 'bedrock-secret-0123456789',
};

const environmentOf = (url: string) => ({
  ...keys,
  OPENAI_BASE_URL: `${url}/openai/v1`,
  ANTHROPIC_BASE_URL: `${url}/anthropic/v1`,
  GOOGLE_BASE_URL: `${url}/google/v1beta`,
  COMPATIBLE_BASE_URL: `${url}/compatible/v1`,
  /** Tests count the calls, and ask the same again. Those of the cache turn it on. */
  JUDGE_CACHE_DAYS: '0',
  BEDROCK_REGION: 'eu-central-1',
  BEDROCK_BASE_URL: `${url}/bedrock`,
});

async function receive(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const [, provider, ...path] = request.url!.split('/');
  const body = JSON.parse(Buffer.concat(chunks).toString());
  return {
    provider: provider as ProviderName,
    path: path.join('/'),
    headers: request.headers,
    body,
  };
}

function send(response: ServerResponse, call: Call, reply: Reply): void {
  if ('never' in reply) sendForEver(response, reply.never);
  else if ('status' in reply)
    response.writeHead(reply.status, reply.headers).end(reply.body ?? errorOf(call, reply.status));
  else
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answerOf(call, reply)));
}

/** Nothing at all, a body that stalls, or one that does not end. */
function sendForEver(response: ServerResponse, never: 'anything' | 'the end' | 'enough'): void {
  if (never === 'anything') return;
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":"');
  if (never === 'the end') return;
  const chunk = 'x'.repeat(65_536);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

function errorOf({ provider }: Call, status: number): string {
  const message = `mock error ${status}`;
  if (provider === 'anthropic')
    return JSON.stringify({ type: 'error', error: { type: 'api_error', message } });
  if (provider === 'google')
    return JSON.stringify({ error: { code: status, message, status: 'UNAVAILABLE' } });
  if (provider === 'bedrock') return JSON.stringify({ message });
  return JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } });
}

type TextReply = Extract<Reply, { text: string }>;

function answerOf({ provider, body }: Call, said: TextReply): object {
  if (provider === 'anthropic') return anthropicMessage(body, said);
  if (provider === 'google') return generatedContent(said);
  if (provider === 'bedrock') return converse(body, said);
  return chatCompletion(said);
}

const tokens = { input: 12, output: 7 };

function chatCompletion({
  text,
  finish = 'stop',
  usage = { prompt_tokens: tokens.input, completion_tokens: tokens.output },
}: TextReply): object {
  const message =
    finish === 'refused'
      ? { role: 'assistant', content: null, refusal: text }
      : { role: 'assistant', content: text };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'mock',
    choices: [{ index: 0, message, finish_reason: finish === 'cut' ? 'length' : 'stop' }],
    ...(usage && { usage }),
  };
}

/** A model without structured output is given the schema as a tool that it has to use. */
function anthropicMessage(
  body: { tools?: object },
  { text, finish = 'stop', usage }: TextReply,
): object {
  const content = body.tools
    ? { type: 'tool_use', id: 'toolu_1', name: 'json', input: JSON.parse(text) }
    : { type: 'text', text };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'mock',
    content: [content],
    stop_reason:
      finish === 'stop'
        ? body.tools
          ? 'tool_use'
          : 'end_turn'
        : finish === 'cut'
          ? 'max_tokens'
          : 'refusal',
    usage: usage ?? { input_tokens: tokens.input, output_tokens: tokens.output },
  };
}

function generatedContent({ text, finish = 'stop', usage }: TextReply): object {
  const usageMetadata = usage ?? {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output,
  };
  if (finish === 'refused') return { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata };
  const finishReason = finish === 'cut' ? 'MAX_TOKENS' : 'STOP';
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason }],
    usageMetadata,
  };
}

function converse(
  body: { toolConfig?: object },
  { text, finish = 'stop', usage }: TextReply,
): object {
  const content = body.toolConfig
    ? { toolUse: { toolUseId: 'tooluse_1', name: 'json', input: JSON.parse(text) } }
    : { text };
  return {
    output: { message: { role: 'assistant', content: [content] } },
    stopReason:
      finish === 'stop'
        ? body.toolConfig
          ? 'tool_use'
          : 'end_turn'
        : finish === 'cut'
          ? 'max_tokens'
          : 'guardrail_intervened',
    usage: usage ?? {
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      totalTokens: tokens.input + tokens.output,
    },
    metrics: { latencyMs: 1 },
  };
}
