import { type LineReply, newKey, pause, RequestFailure } from '@assay/client/client';

/** Lines and characters of one request. */
const linesMax = 1000;
const charactersMax = 4 * 1024 * 1024;
/** A body that the service ended, because it could not store the rest, is sent again so often. */
const attemptsMax = 5;
const againMs = 1000;

/** Sends lines to an operation that answers each of them. */
export type SendLines = (
  lines: readonly string[],
  headers: Record<string, string>,
) => Promise<LineReply[]>;

/**
 * Collects lines, and posts them in batches that a repeat does not harm. Gives each answer to the item
 * of its line.
 */
export function createBatches<Item>({
  send,
  isOnce = false,
  lineOf,
  answered,
}: {
  send: SendLines;
  /** True where a repeat of a line would store it twice. */
  isOnce?: boolean;
  lineOf: (item: Item) => string;
  answered: (item: Item, answer: LineReply) => void;
}) {
  let items: Item[] = [];
  let lines: string[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const [sent, sentLines] = [items, lines];
    [items, lines, characters] = [[], [], 0];
    let from = 0;
    for (let attempt = 1; from < sent.length; attempt++) {
      const answers = await send(
        sentLines.slice(from),
        isOnce ? { 'idempotency-key': newKey() } : {},
      );
      const end = answers.findIndex(({ status }) => status >= 500 || status === 429);
      for (const answer of end < 0 ? answers : answers.slice(0, end))
        answered(sent[from++]!, answer);
      if (from === sent.length) return;
      const { status = 0, code, message } = answers[end] ?? {};
      if (attempt === attemptsMax)
        throw new RequestFailure(`${from} of ${sent.length} lines are stored`, {
          status: status || 503,
          code: code ?? 'SERVICE_UNAVAILABLE',
          reason: `${status || 503} ${message ?? 'The answer was cut off.'} What was answered is stored.`,
        });
      await pause(againMs);
    }
  }

  return {
    async add(item: Item): Promise<void> {
      const line = lineOf(item);
      items.push(item);
      lines.push(line);
      characters += line.length;
      if (items.length >= linesMax || characters >= charactersMax) await flush();
    },
    flush,
  };
}
