import { type Client, newKey, pause, RequestFailure } from '@assay/client/client';

/** Lines and characters of one request. */
const linesMax = 1000;
const charactersMax = 4 * 1024 * 1024;
/** A body that the service ended, because it could not store the rest, is sent again so often. */
const attemptsMax = 5;
const againMs = 1000;

export interface LineAnswer {
  status: number;
  id?: string;
  outcome?: string;
  code?: string;
  message?: string;
  validationErrors?: unknown[];
}

/**
 * Collects lines, and posts them in batches that a repeat does not harm. Gives each answer to the item
 * of its line.
 */
export function createBatches<Item>({
  client,
  method = 'POST',
  isOnce = false,
  path,
  lineOf,
  answered,
}: {
  client: Client;
  method?: 'POST' | 'PUT';
  /** True where a repeat of a line would store it twice. */
  isOnce?: boolean;
  path: string;
  lineOf: (item: Item) => string;
  answered: (item: Item, answer: LineAnswer) => void;
}) {
  let items: Item[] = [];
  let lines: string[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const [sent, sentLines] = [items, lines];
    [items, lines, characters] = [[], [], 0];
    let from = 0;
    for (let attempt = 1; from < sent.length; attempt++) {
      const answers = await client.sendLines<LineAnswer>(path, sentLines.slice(from), {
        method,
        headers: isOnce ? { 'idempotency-key': newKey() } : {},
      });
      const end = answers.findIndex(({ status }) => status >= 500 || status === 429);
      for (const answer of end < 0 ? answers : answers.slice(0, end))
        answered(sent[from++]!, answer);
      if (from === sent.length) return;
      const { status = 0, code, message } = answers[end] ?? {};
      if (attempt === attemptsMax)
        throw new RequestFailure(`${method} ${path}`, {
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
