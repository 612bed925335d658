import type { Span } from './use-span.ts';

type Message = Span['inputMessages'][number];
type Call = NonNullable<Message['toolCalls']>[number];

/** A call of a tool with the results that came for it. */
export type AnsweredCall = Call & { results: unknown[] };

/** A message with its calls, each with its results. */
export type ShownMessage = Omit<Message, 'toolCalls'> & { calls: AnsweredCall[] };

/** Puts each result of a tool below the call that it answers; one that answers none stays a message. */
export function withResults(messages: Message[]): ShownMessage[] {
  const byId = new Map<string, AnsweredCall>();
  const shown: ShownMessage[] = [];
  for (const { toolCalls = [], ...message } of messages) {
    const answered = message.toolCallId === undefined ? undefined : byId.get(message.toolCallId);
    if (answered) {
      answered.results.push(message.content);
      continue;
    }
    const calls = toolCalls.map((call): AnsweredCall => ({ ...call, results: [] }));
    for (const call of calls) if (call.id !== undefined) byId.set(call.id, call);
    shown.push({ ...message, calls });
  }
  return shown;
}
