import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Loads } from '../load.ts';
import { countError, isSuccess } from './answers.ts';

export const download: Loads['download'] = async ({ url, path, headers }, signal) => {
  const startMs = performance.now();
  const [response] = (await once(get(new URL(path, url), { headers, signal }), 'response')) as [
    IncomingMessage,
  ];
  let bytes = 0;
  let lines = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++;
  }
  const tookMs = performance.now() - startMs;
  const errors: Record<string, number> = {};
  const status = response.statusCode!;
  if (!isSuccess(status)) countError(errors, status);
  return {
    accepted: isSuccess(status) ? 1 : 0,
    perSecond: 1000 / tookMs,
    errors,
    bytes,
    lines,
    tookMs,
  };
};

const newline = 0x0a;
