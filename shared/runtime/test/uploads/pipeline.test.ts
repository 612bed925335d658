import { Failure } from '@assay/contracts/failure';
import { turnsDuring } from '@assay/testing/loop-turns';
import { expect, test } from 'vitest';
import { askersOfProcess } from '../../concurrency/organization-context.ts';
import { answerEntries, type Batch, type EntryAnswer } from '../../uploads/pipeline.ts';
import {
  createElementSplitter,
  createLineSplitter,
  createRecordSplitter,
} from '../../uploads/splitters.ts';

interface Answer {
  index: number;
  status: number;
  message?: string;
}

async function* from(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** Takes a body whose entries are JSON, and keeps what each of them is. */
async function take(
  stream: AsyncIterable<Uint8Array>,
  { splitter = createLineSplitter(1000), read = parse } = {},
) {
  const kept: unknown[] = [];
  const keep = async ({ entries }: Batch<unknown>): Promise<EntryAnswer[]> =>
    entries.map((entry) => {
      if (entry instanceof Failure) return entry;
      return { status: 201, id: String(kept.push(entry)) };
    });
  const answers: Answer[] = [];
  for await (const lines of await answerEntries({
    stream,
    splitter,
    read,
    keep,
    batchItemsMax: 1000,
    keptBytesMax: 1_000_000,
  }))
    answers.push(
      ...lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Answer),
    );
  return { kept, answers };
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    throw new Failure('MALFORMED_JSON', 'The body is not valid JSON.');
  }
}

test('beside other organizations, a quarter of what may be stored together is stored together', async () => {
  askersOfProcess.noteOthers();
  const sizes: number[] = [];
  const lines = await answerEntries({
    stream: from('1\n'.repeat(999)),
    splitter: createLineSplitter(1000),
    read: parse,
    keep: async ({ entries }) => {
      sizes.push(entries.length);
      return entries.map(() => ({ status: 201 }));
    },
    batchItemsMax: 1000,
    keptBytesMax: 1_000_000,
  });
  for await (const _ of lines);
  expect(sizes).toEqual([250, 250, 250, 249]);
});

test('blank lines between entries have no answer, wherever the body is cut into pieces', async () => {
  const body = '\n \n1\r\n\r\n  2  \n\t\n\n3';
  for (let at = 0; at <= body.length; at++) {
    const { kept, answers } = await take(from(body.slice(0, at), body.slice(at)));
    expect(kept).toEqual([1, 2, 3]);
    expect(answers.map(({ index, status }) => [index, status])).toEqual([
      [0, 201],
      [1, 201],
      [2, 201],
    ]);
  }
});

test('records of CSV keep the line breaks and spaces of their quoted cells, wherever the body is cut into pieces', async () => {
  const body = '\n \n"a\n\n \nb",c\n\n  d,"e""\n"\n';
  for (let at = 0; at <= body.length; at++) {
    const read = (raw: Buffer) => raw.toString() as unknown;
    const { kept } = await take(from(body.slice(0, at), body.slice(at)), {
      splitter: createRecordSplitter(1000),
      read,
    });
    expect(kept).toEqual(['"a\n\n \nb",c', '  d,"e""\n"']);
  }
});

test.for([
  ['lines', createLineSplitter],
  ['records of CSV', createRecordSplitter],
] as const)(
  'a body of %s ends after 10,000 blank ones in a row, with a last line that says so',
  async ([, createSplitter]) => {
    const body = [`1\n${'\n'.repeat(10_000)}2\n`, `${'\n \r'.repeat(10_001)}\n3\n`];
    const { kept, answers } = await take(from(...body), { splitter: createSplitter(1000) });
    expect(kept).toEqual([1, 2]);
    expect(answers.at(-1)).toMatchObject({
      index: 2,
      status: 400,
      message: 'The body must not have more than 10,000 blank lines in a row.',
    });
  },
);

test('a body of nothing but blank lines is a 400', async () => {
  const answering = take(from('\n'.repeat(20_000)));
  await expect(answering).rejects.toThrow(
    'The body must not have more than 10,000 blank lines in a row.',
  );
});

test('a body ends after 10,000 wrong entries in a row, with a last line that says so; a right one among them lets it go on', async () => {
  const wrong = '{\n'.repeat(9_000);
  const ended = await take(from(`${wrong}1\n${wrong}2\n${wrong}${wrong}3\n`));
  expect(ended.kept.slice(0, 2)).toEqual([1, 2]);
  expect(ended.kept).not.toContain(3);
  expect(ended.answers.length).toBeLessThan(30_000);
  expect(ended.answers.at(-1)).toMatchObject({
    index: ended.answers.length - 1,
    status: 400,
    message: 'The body must not have 10,000 entries in a row that are wrong.',
  });
});

test('an array of nothing ends with a last line as well', async () => {
  const { answers } = await take(from(`[${','.repeat(50_000)}]`), {
    splitter: createElementSplitter(1000),
  });
  expect(answers.length).toBeLessThan(12_000);
  expect(answers.at(-1)?.message).toBe(
    'The body must not have 10,000 entries in a row that are wrong.',
  );
});

test('other work of the process goes on while the entries of one piece are read', async () => {
  const read = (raw: Buffer) => {
    // Longer than a body may keep the event loop.
    for (const until = performance.now() + 15; performance.now() < until; );
    return parse(raw);
  };
  const turns = await turnsDuring(() => take(from('1\n'.repeat(20)), { read }));
  expect(turns).toBeGreaterThanOrEqual(20);
});

test('what nobody has taken yet of a body that breaks off is dropped: its client is gone', async () => {
  const isReading = createEvent();
  const isBroken = createEvent();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('1\n');
    await isReading.happened;
    yield Buffer.from('2\n');
    setImmediate(isBroken.happen);
    throw new Error('aborted');
  }
  const entries: string[] = [];
  const read = async (raw: Buffer) => {
    entries.push(raw.toString());
    isReading.happen();
    await isBroken.happened;
  };
  const { answers } = await take(body(), { read });
  expect(entries).toEqual(['1']);
  expect(answers.map(({ index, status }) => [index, status])).toEqual([
    [0, 201],
    [1, 500],
  ]);
});

function createEvent() {
  let happen: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happen, happened };
}
