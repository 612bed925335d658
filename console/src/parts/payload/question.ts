import { findText, type JsonNode, scanMembers } from './scan.ts';

/** Places of a text that are found at most. */
const placesMax = 10_000;

/** What can be asked of the bytes of a payload. */
export type Question = { node: JsonNode; membersMax: number | undefined } | { text: string };
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
