import { type EntryAnswer, importEntries } from '../../../api/testcases.ts';
import { type Entry, readEntries } from '../../../files/entries.ts';
import type { FileFormat } from '../../../files/format.ts';

/**
 * Bounds of one request. The service answers while it reads, but a browser sends all before it reads:
 * a request fits into the memory between them.
 */
const requestEntriesMax = 1000;
const requestCharactersMax = 500_000;

/** The answer to an entry, in short. */
export interface Outcome {
  entry: Entry;
  /** Cannot be a testcase, or is one that breaks the schema. */
  kind: 'valid' | 'invalid' | 'broken';
  /** Why it is not valid. */
  problem: string;
  /** What an entry with a key does. */
  outcome?: EntryAnswer['outcome'];
}

export interface Transfer {
  file: File;
  format: FileFormat;
  testsetId: string;
  /** Writes an entry as the data of a testcase. */
  write: (entry: Entry) => string;
  /** Reads the key of an entry, which it must have, and none before it. */
  keyOf?: ((entry: Entry) => string | undefined) | undefined;
  /** Whether entries replace the data of the testcases that have their keys. */
  isUpsert?: boolean;
  /**
   * With a key, entries are stored, once, however often the transfer is repeated; without one, they
   * are only checked.
   */
  key?: string;
  /** Leaves entries out. */
  isLeftOut?: (entry: Entry) => boolean;
  /** Called with the outcomes of the entries of a request, and how much of the file is read. */
  onProgress: (progress: { outcomes: Outcome[]; bytesRead: number; header: string[] }) => void;
  /** Called when the service is away, before it is asked again. */
  onAway: () => void;
  signal: AbortSignal;
}

/**
 * Reads a file and sends its entries in requests of a bounded size, one after the other: no more
 * than a piece of the file is in memory.
 * @throws ApiError, or Error for a file that cannot be read
 */
export async function transfer({
  file,
  format,
  testsetId,
  write,
  keyOf,
  isUpsert,
  key,
  isLeftOut = () => false,
  onProgress,
  onAway,
  signal,
}: Transfer): Promise<void> {
  let requests = 0;
  let waiting: { entry: Entry; data: string }[] = [];
  let characters = 0;
  let broken: Outcome[] = [];
  let bytesRead = 0;
  let header: string[] = [];
  const numbers = new Map<string, number>();

  /** Why the key of an entry does not name it alone. */
  function keyProblem(entry: Entry): string | undefined {
    if (!keyOf) return undefined;
    const name = keyOf(entry);
    if (name === undefined) return isUpsert ? 'has no key' : undefined;
    const before = numbers.get(name);
    if (before === undefined) numbers.set(name, entry.number);
    return before === undefined ? undefined : `has the key of row ${before}`;
  }

  async function flush(): Promise<void> {
    const sent = waiting;
    requests += 1;
    const answers =
      sent.length === 0
        ? []
        : await importEntries(
            testsetId,
            sent.map(({ data }) => data),
            { signal, onAway, isUpsert, key: key && `${key}-${requests}` },
          );
    const outcomes = answers.map((answer, index) => outcomeOf(sent[index]!.entry, answer));
    onProgress({
      outcomes: [...outcomes, ...broken].toSorted(byNumber),
      bytesRead,
      header,
    });
    waiting = [];
    characters = 0;
    broken = [];
  }

  for await (const batch of readEntries(file, format)) {
    signal.throwIfAborted();
    bytesRead = batch.bytesRead;
    header = batch.header;
    for (const entry of batch.entries) {
      const problem = entry.problem ?? keyProblem(entry);
      if (problem !== undefined) {
        broken.push({ entry, kind: 'broken', problem });
        continue;
      }
      if (isLeftOut(entry)) continue;
      const data = write(entry);
      if (waiting.length > 0 && characters + data.length > requestCharactersMax) await flush();
      waiting.push({ entry, data });
      characters += data.length;
      if (waiting.length === requestEntriesMax) await flush();
    }
  }
  await flush();
}

const byNumber = (one: Outcome, other: Outcome): number => one.entry.number - other.entry.number;

function outcomeOf(entry: Entry, answer: EntryAnswer): Outcome {
  const { validationErrors, status, outcome, message = '', details } = answer;
  const issues = (validationErrors ?? details?.issues ?? []).map((issue) => issue.message);
  const problem = issues.length > 0 ? issues.join(' ') : message;
  const kind = status >= 400 ? 'broken' : validationErrors ? 'invalid' : 'valid';
  return { entry, kind, problem, ...(outcome ? { outcome } : {}) };
}
