import type { Client, LineReply } from '@assay/client/client';
import { writeJson } from '@assay/json/write';
import type { Json } from './evaluation.ts';

/** A record that waits to be stored. */
export interface RecordToSend {
  testcaseId: string;
  trial: number;
  /** Everything of the record but its name and its testcase. */
  body: Json & { inputs: unknown; expected: unknown };
}

export interface Sender {
  /** Resolves when there is room for more; rejects when records could not be stored. */
  push(record: RecordToSend): Promise<void>;
  /** Resolves when everything is stored. */
  flush(): Promise<void>;
  /** Records that the service did not take, not even as failures. */
  refused: { testcaseId: string; message: string }[];
}

interface Line {
  record: RecordToSend;
  text: string;
  isReplacement: boolean;
}
const linesMax = 100;
const charactersMax = 4_000_000;
const waitingMax = 200;

/**
 * Stores records by the bulk operation, one request after the other: while one is under way, the
 * next collects. Every line has its `clientId`, so one that is sent again is not stored again.
 */
export function createSender({ client, runId }: { client: Client; runId: string }): Sender {
  const waiting: Line[] = [];
  const refused: Sender['refused'] = [];
  let pumping: Promise<void> | undefined;
  let failure: unknown;
  let room = createRoom();

  async function pump(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = takeBatch(waiting);
        const replies = await client.sendLines(
          'POST',
          '/runs/:runId/records/bulk',
          batch.map(({ text }) => text),
          { params: { runId } },
        );
        for (const [index, reply] of replies.entries()) settle(batch[index]!, reply);
        room.resolve();
        room = createRoom();
      }
    } catch (error) {
      failure = error;
    } finally {
      pumping = undefined;
      room.resolve();
    }
  }

  function settle({ record, isReplacement }: Line, { status, message = '' }: LineReply): void {
    if (status < 400) return;
    if (isReplacement) refused.push({ testcaseId: record.testcaseId, message });
    else waiting.push(toLine(withoutOutputs(record, message), true));
  }

  async function flush(): Promise<void> {
    while (!failure && (pumping !== undefined || waiting.length > 0)) {
      pumping ??= pump();
      await pumping;
    }
    if (failure) throw failure;
  }

  return {
    refused,
    flush,
    async push(record) {
      if (failure) throw failure;
      waiting.push(toLine(record, false));
      pumping ??= pump();
      while (waiting.length >= waitingMax && pumping !== undefined) await room.promise;
      if (failure) throw failure;
    },
  };
}

/** A promise with its own end. */
function createRoom(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The name of a record in its run: of the same testcase and trial, the same one. */
export const clientIdOf = ({ testcaseId, trial }: Pick<RecordToSend, 'testcaseId' | 'trial'>) =>
  `${testcaseId}:${trial}`;

const toLine = (record: RecordToSend, isReplacement: boolean): Line => ({
  record,
  isReplacement,
  text: writeJson({
    clientId: clientIdOf(record),
    testcaseId: record.testcaseId,
    ...record.body,
  }),
});

function takeBatch(waiting: Line[]): Line[] {
  let characters = 0;
  const end = waiting.findIndex(({ text }, index) => {
    characters += text.length;
    return index === linesMax || (index > 0 && characters > charactersMax);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

/** The record of an answer that cannot be stored, since it is too large, for example. */
function withoutOutputs(
  { testcaseId, trial, body: { inputs, expected } }: RecordToSend,
  message: string,
): RecordToSend {
  const error = { name: 'RecordRefused', message };
  return {
    testcaseId,
    trial,
    body: { inputs, expected, error },
  };
}
