import { startWorker } from '../worker.ts';
import { answerTo, type Question } from './question.ts';
import type { JsonNode } from './scan.ts';
import workerUrl from './scan-worker.ts?worker&url';

/** From this size on, bytes are scanned in a worker: a worker costs more than a small scan. */
const workerBytesMin = 2 * 1024 * 1024;

/** What can be asked of the bytes; the answers may take a while, and keep the page alive. */
export interface Scanner {
  members: (node: JsonNode, membersMax?: number) => Promise<Uint32Array>;
  find: (text: string) => Promise<Uint32Array>;
  close: () => void;
}

/** Scans bytes here where they are few, else in a worker that has a copy of them. */
export function createScanner(bytes: Uint8Array): Scanner {
  if (bytes.length < workerBytesMin)
    return {
      members: async (node, membersMax) => answerTo(bytes, { node, membersMax }),
      find: async (text) => answerTo(bytes, { text }),
      close: () => undefined,
    };
  const worker = startWorker(workerUrl);
  const waiting = new Map<number, PromiseWithResolvers<Uint32Array>>();
  let questions = 0;
  worker.onmessage = ({ data }: MessageEvent<{ id: number; places: Uint32Array }>) => {
    waiting.get(data.id)?.resolve(data.places);
    waiting.delete(data.id);
  };
  const ask = (question: Question): Promise<Uint32Array> => {
    const answer = Promise.withResolvers<Uint32Array>();
    questions += 1;
    waiting.set(questions, answer);
    worker.postMessage({ id: questions, ...question });
    return answer.promise;
  };
  worker.postMessage({ id: 0, bytes });
  return {
    members: (node, membersMax) => ask({ node, membersMax }),
    find: (text) => ask({ text }),
    close: () => worker.terminate(),
  };
}
