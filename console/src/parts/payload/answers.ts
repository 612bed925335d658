import type { Call, Entry, Message, Result } from './entries.ts';

/** An entry that says how a call ended. */
export type Answer = Result | Message;

/** The first answer of each call, by the call; the others stay where they are. */
export function answersOf(entries: Entry[]): Map<Call, Answer> {
  const all = entries.flatMap(within);
  const waiting = new Map<string, Call>();
  for (const entry of all)
    if (entry.kind === 'call' && entry.id !== undefined && !waiting.has(entry.id))
      waiting.set(entry.id, entry);
  const answers = new Map<Call, Answer>();
  for (const entry of all) {
    if ((entry.kind !== 'result' && entry.kind !== 'message') || entry.callId === undefined)
      continue;
    const call = waiting.get(entry.callId);
    if (call && !answers.has(call)) answers.set(call, entry);
  }
  return answers;
}

/** An entry, and those in it. */
const within = (entry: Entry): Entry[] =>
  entry.kind === 'message' ? [entry, ...entry.calls, ...(entry.parts ?? [])] : [entry];

/** The entries that are to be shown in their own place: answers stand under their calls. */
export function shownEntries(entries: Entry[], answers: ReadonlySet<Entry>): Entry[] {
  return entries.filter((entry) => {
    if (answers.has(entry)) return false;
    const { parts, rest } = entry.kind === 'message' ? entry : { parts: undefined, rest: [] };
    // A message that says nothing but the results of calls.
    return !parts || rest.length > 0 || !parts.every((part) => answers.has(part));
  });
}
