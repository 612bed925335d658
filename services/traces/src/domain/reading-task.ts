import type { TraceSpan } from '@assay/contracts/traces';
import { type GuardedResult, guardItem } from '@assay/runtime/concurrency/guard-item';
import type { Contents, ContentsPlace } from '@assay/span-reading/contents';
import {
  findSpan,
  listSpans,
  readContents,
  readMatching,
  type SettledTrace,
  type SpanCondition,
  type SpanList,
  settle,
} from './kept-trace.ts';
import {
  countPoints,
  type PointCount,
  type RequestReading,
  readRequest,
} from './received-request.ts';

/** The kinds of reading, each with its input and its outcome. Data alone. */
export interface ReadingTasks {
  readRequest: { given: Parameters<typeof readRequest>[0]; found: RequestReading };
  countPoints: { given: Parameters<typeof countPoints>[0]; found: PointCount };
  settle: { given: { traces: Uint8Array[][] }; found: GuardedResult<SettledTrace>[] };
  listSpans: { given: { parts: Uint8Array[] }; found: SpanList };
  findSpan: { given: { parts: Uint8Array[]; spanId: string }; found: TraceSpan | undefined };
  readContents: {
    given: { parts: Uint8Array[]; places: ContentsPlace[] };
    found: (Contents | undefined)[];
  };
  readMatching: {
    given: { parts: Uint8Array[]; condition: SpanCondition; places: ContentsPlace[] };
    found: (Contents | undefined)[] | undefined;
  };
}

const work: {
  [Name in keyof ReadingTasks]: (given: ReadingTasks[Name]['given']) => ReadingTasks[Name]['found'];
} = {
  readRequest,
  countPoints,
  settle: ({ traces }) => traces.map((parts) => guardItem(() => settle(parts))),
  listSpans: ({ parts }) => listSpans(parts),
  findSpan: ({ parts, spanId }) => findSpan(parts, spanId),
  readContents: ({ parts, places }) => readContents(parts, places),
  readMatching: ({ parts, condition, places }) => readMatching(parts, condition, places),
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
