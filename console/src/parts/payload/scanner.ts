import { findText, type JsonNode, scanMembers } from './scan.ts';

/** From this size on, bytes are scanned in a worker: a worker costs more than a small scan. */
const workerBytesMin = 2 * 1024 * 1024;

/** Places of a text that are found at most. */
const placesMax = 10_000;

/** What can be asked of the bytes; the answers may take a while, and keep the page alive. */
export interface Scanner {
  members: (node: JsonNode, membersMax?: number) => Promise<Uint32Array>;
  find: (text: string) => Promise<Uint32Array>;
  close: () => void;
}

type Question = { node: JsonNode; membersMax: number | undefined } | { text: string };
export type WorkerMessage = { id: number } & (Question | { bytes: Uint8Array });

/** Returns where the members of a container begin, or where a text is found. */
export const answerTo = (bytes: Uint8Array, question: Question): Uint32Array =>
  'node' in question
    ? scanMembers(bytes, question.node, question.membersMax)
    : firstPlaces(bytes, question.text);

function firstPlaces(bytes: Uint8Array, text: string): Uint32Array {
  const places: number[] = [];
  for (const place of findText(bytes, text)) if (places.push(place) === placesMax) break;
  return Uint32Array.from(places);
}

/** Scans bytes here where they are few, else in a worker that has a copy of them. */
export function createScanner(bytes: Uint8Array): Scanner {
  if (bytes.length < workerBytesMin)
    return {
      members: async (node, membersMax) => answerTo(bytes, { node, membersMax }),
      find: async (text) => answerTo(bytes, { text }),
      close: () => undefined,
    };
  const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), { type: 'module' });
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
