import { parseJson } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { type GuardedResult, guardItem } from '@assay/runtime/concurrency/guard-item';
import type { ContentsPlace } from '@assay/span-reading/contents';
import type { TraceSummary } from '@assay/span-reading/summarize-trace';
import {
  findSpan,
  hasText,
  listSpans,
  readContents,
  readConversation,
  readMatching,
  type SettledTrace,
  type SpanCondition,
  type SpanList,
  settle,
  summarize,
} from './kept-trace.ts';
import {
  countPoints,
  type PointCount,
  type RequestReading,
  readRequest,
} from './received-request.ts';

/** JSON of a value: on its way from another thread a number would lose its digits. */
type WrittenValue = string;

const written = (value: object | undefined): WrittenValue | undefined => value && writeJson(value);

/** The value with all digits of its numbers. */
export const readWritten = <Value>(json: WrittenValue | undefined): Value | undefined =>
  json === undefined ? undefined : (parseJson(json) as Value);

/**
 * The kinds of reading, each with its input and its outcome. Data alone; spans and contents are JSON.
 */
export interface ReadingTasks {
  readRequest: { given: Parameters<typeof readRequest>[0]; found: RequestReading };
  countPoints: { given: Parameters<typeof countPoints>[0]; found: PointCount };
  settle: { given: { traces: Uint8Array[][] }; found: GuardedResult<SettledTrace>[] };
  summarize: { given: { parts: Uint8Array[] }; found: TraceSummary };
  listSpans: { given: { parts: Uint8Array[] }; found: SpanList };
  readConversation: { given: { parts: Uint8Array[] }; found: WrittenValue };
  hasText: { given: { parts: Uint8Array[]; text: string }; found: boolean };
  findSpan: { given: { parts: Uint8Array[]; spanId: string }; found: WrittenValue | undefined };
  readContents: {
    given: { parts: Uint8Array[]; places: ContentsPlace[] };
    found: (WrittenValue | undefined)[];
  };
  readMatching: {
    given: { parts: Uint8Array[]; condition: SpanCondition; places: ContentsPlace[] };
    found: (WrittenValue | undefined)[] | undefined;
  };
}

const work: {
  [Name in keyof ReadingTasks]: (given: ReadingTasks[Name]['given']) => ReadingTasks[Name]['found'];
} = {
  readRequest,
  countPoints,
  settle: ({ traces }) => traces.map((parts) => guardItem(() => settle(parts))),
  summarize: ({ parts }) => summarize(parts),
  listSpans: ({ parts }) => listSpans(parts),
  readConversation: ({ parts }) => writeJson(readConversation(parts)),
  hasText: ({ parts, text }) => hasText(parts, text),
  findSpan: ({ parts, spanId }) => written(findSpan(parts, spanId)),
  readContents: ({ parts, places }) => readContents(parts, places).map(written),
  readMatching: ({ parts, condition, places }) =>
    readMatching(parts, condition, places)?.map(written),
};

export interface ReadingTask<Name extends keyof ReadingTasks = keyof ReadingTasks> {
  name: Name;
  given: ReadingTasks[Name]['given'];
}

/** Does the work of a task, on whatever thread this is. */
export const read = <Name extends keyof ReadingTasks>({
  name,
  given,
}: ReadingTask<Name>): ReadingTasks[Name]['found'] => work[name](given);

/** The code of the failure where reading was stopped, since it took too much time or memory. */
export const tooMuchToReadCode = 'PAYLOAD_TOO_LARGE';

/** Does the work of a task aside where it is long. */
export type SpanReader = <Name extends keyof ReadingTasks>(
  task: ReadingTask<Name>,
) => Promise<ReadingTasks[Name]['found']>;

/** More bytes than these take longer to read than to hand to another thread. */
const shortBytesMax = 128 * 1024;

/** Whether a task is done before it would reach another thread. */
export function isShort({ given }: ReadingTask): boolean {
  if ('bytes' in given) return given.bytes.length <= shortBytesMax;
  const parts = 'traces' in given ? given.traces.flat() : given.parts;
  return parts.reduce((bytes, part) => bytes + part.length, 0) <= shortBytesMax;
}
