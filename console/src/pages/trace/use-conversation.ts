import { useReading } from '../../api/query.ts';
import type { ListedSpan } from './span-tree.ts';
import type { Span } from './use-span.ts';

type Message = Span['inputMessages'][number];

/** A conversation as it is shown: all to the last message of the user, and all after it. */
export interface ShownConversation {
  given: Message[];
  answered: Message[];
}

/**
 * The conversation of a span: its own messages; of a root that has none, those that the trace tells. `isRead` says
 * that nothing of it will come later.
 */
export function useConversation({
  traceId,
  listed,
  span,
}: {
  traceId: string;
  listed: ListedSpan;
  span: Span | undefined;
}): { isRead: boolean; conversation?: ShownConversation } {
  const own = span && { given: span.inputMessages, answered: span.outputMessages };
  const hasOwn = own !== undefined && own.given.length + own.answered.length > 0;
  const isAsked = own !== undefined && !hasOwn && listed.parentSpanId === null;
  const ofTrace = useReading('/traces/:traceId/conversation', {
    params: { traceId },
    isEnabled: isAsked,
  });
  if (!own) return { isRead: false };
  if (hasOwn) return { isRead: true, conversation: own };
  if (isAsked && ofTrace.isLoading) return { isRead: false };
  const { messages = [], steps = [] } = ofTrace.data ?? {};
  // Without steps they are the input and output of the root.
  if (!isAsked || (messages.length <= 2 && steps.length === 0)) return { isRead: true };
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1;
  const conversation = { given: messages.slice(0, end), answered: messages.slice(end) };
  return { isRead: true, conversation };
}
