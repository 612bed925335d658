import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The texts of a request: what the model is told, and what it is asked. */
export interface Question {
  instructions: string;
  prompt: string;
}

interface StandIn {
  /** With the version segment, as COMPATIBLE_BASE_URL wants it. */
  baseUrl: string;
}

interface ChatCompletionRequest {
  model: string;
  messages: { role: string; content: string }[];
}

/**
 * Serves OpenAI's chat completions on 127.0.0.1, in place of a language model: `answer` gives the
 * JSON that the model would say, or a sentence that says why it cannot. It lives as long as the
 * process.
 */
export async function startStandInModel(
  answer: (question: Question) => object | string,
): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    const { status, body } = await reply(request, answer).catch(() =>
      refusal('This is no request of a chat.'),
    );
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

async function reply(request: IncomingMessage, answer: (question: Question) => object | string) {
  const { model, messages } = JSON.parse(await text(request)) as ChatCompletionRequest;
  const said = (isInstruction: boolean) =>
    messages
      .filter(({ role }) => (role === 'system') === isInstruction)
      .map(({ content }) => content)
      .join('\n');
  const answered = answer({ instructions: said(true), prompt: said(false) });
  if (typeof answered === 'string') return refusal(answered);
  const message = { role: 'assistant', content: JSON.stringify(answered) };
  return {
    status: 200,
    body: {
      id: 'stand-in',
      object: 'chat.completion',
      created: 0,
      model,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    },
  };
}

const refusal = (message: string) => ({ status: 400, body: { error: { message } } });
