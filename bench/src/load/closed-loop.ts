import { Client } from 'undici';
import type { ClosedLoop, Loads } from '../load.ts';
import { bodyOfTurn } from '../numbered-bodies.ts';
import { createAnswers } from './answers.ts';

export const closedLoop: Loads['closedLoop'] = async (load, signal) => {
  const clients = Array.from(
    { length: load.connections },
    () => new Client(load.url, { pipelining: 1 }),
  );
  const nextBody = createBodies(load);
  const answers = createAnswers();
  const startMs = performance.now();
  let endMs =
    'durationMs' in load.until ? startMs + load.until.durationMs : Number.POSITIVE_INFINITY;
  let left = 'count' in load.until ? load.until.count : Number.POSITIVE_INFINITY;
  signal.addEventListener('abort', () => {
    endMs = Math.min(endMs, performance.now());
  });
  await Promise.all(
    clients.map(async (client) => {
      for (let sentMs = startMs; sentMs < endMs && left > 0; ) {
        left--;
        const status = await send(client, load, nextBody());
        const nowMs = performance.now();
        if (nowMs > endMs) break;
        answers.count(status, nowMs - sentMs);
        sentMs = nowMs;
      }
    }),
  );
  const tookMs = Math.min(endMs, performance.now()) - startMs;
  await Promise.all(clients.map((client) => client.close()));
  return {
    accepted: answers.accepted(),
    perSecond: (answers.accepted() / tookMs) * 1000,
    p50Ms: answers.latencyMs(0.5),
    p99Ms: answers.latencyMs(0.99),
    errors: answers.errors,
  };
};

/** Returns the body of each request in turn. */
function createBodies({ body, turns }: ClosedLoop): () => Buffer | null {
  if (turns) {
    const { bodies, firstTurn } = turns;
    let sent = 0;
    return () => {
      const turn = firstTurn + Math.floor(sent / bodies.length);
      return bodyOfTurn(bodies[sent++ % bodies.length]!, turn);
    };
  }
  const same = body === undefined ? null : Buffer.from(body);
  return () => same;
}

/** The answer's status, or 0 when there was none. */
const send = (
  client: Client,
  { method, path, headers }: ClosedLoop,
  body: Buffer | null,
): Promise<number> =>
  new Promise((resolve) => {
    let status = 0;
    client.dispatch(
      { method, path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode) => {
          status = statusCode;
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status),
        onResponseError: () => resolve(0),
      },
    );
  });
