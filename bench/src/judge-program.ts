// A judge that takes its time: answers as OpenAI's chat completions do, every call after ANSWER_MS,
// or never without it.
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '@assay/runtime/config';
import Fastify from 'fastify';
import { z } from 'zod';
import { serve } from './baseline/serve.ts';
import type { Calls } from './judge.ts';

const { ANSWER_MS } = readConfig({ ANSWER_MS: z.coerce.number().optional() });

const calls: Calls = { answered: 0, underWay: 0, underWayMax: 0, firstAtMs: 0, lastAnswerAtMs: 0 };
const answer = {
  id: 'answer',
  object: 'chat.completion',
  created: 0,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: JSON.stringify({
          reasoning: 'It asks for the tracking number.',
          binaryScore: true,
        }),
      },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 400, completion_tokens: 20, total_tokens: 420 },
};

const app = Fastify();

app.get('/calls', async () => {
  const told = { ...calls };
  Object.assign(calls, {
    answered: 0,
    underWayMax: calls.underWay,
    firstAtMs: 0,
    lastAnswerAtMs: 0,
  } satisfies Partial<Calls>);
  return told;
});
app.post('/v1/chat/completions', async () => {
  calls.underWay += 1;
  calls.underWayMax = Math.max(calls.underWayMax, calls.underWay);
  calls.firstAtMs ||= performance.now();
  await (ANSWER_MS === undefined ? new Promise(() => undefined) : pause(ANSWER_MS));
  calls.underWay -= 1;
  calls.answered += 1;
  calls.lastAnswerAtMs = performance.now();
  return answer;
});

await serve(app);
