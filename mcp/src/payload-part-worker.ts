import { quote, spanAt } from '@assay/json/scan';
import { workerTask } from '@assay/runtime/concurrency/worker-task';
import type { PayloadPart, PayloadTask } from './payload-part.ts';

const charactersMax = 8_000;
/** Characters of a payload's own words that an answer may take: of other scripts a third. */
const bytesMax = 12_000;

/** Reads a part of a payload on another thread, and builds nothing but that part's value. */
export default workerTask(({ bytes, segments, offset }: PayloadTask): PayloadPart | undefined => {
  const span = spanAt(bytes, segments);
  if (!span) return undefined;
  const json = Buffer.from(bytes.buffer).toString('utf8', span.start, span.end);
  const text: string = bytes[span.start] === quote ? JSON.parse(json) : json;
  return { part: partWithin(text, offset), characters: text.length };
});

/** Cuts a part that is small as JSON too, and splits no surrogate pair. */
function partWithin(text: string, offset: number): string {
  let part = text.slice(offset, offset + charactersMax);
  while (Buffer.byteLength(JSON.stringify(part)) > bytesMax)
    part = part.slice(0, Math.floor(part.length * 0.8));
  return /[\ud800-\udbff]$/.test(part) && part.length > 1 ? part.slice(0, -1) : part;
}
