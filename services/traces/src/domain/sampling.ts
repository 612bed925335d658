import { createHash } from 'node:crypto';
import type { StoredHead, StoredMonitor } from '../store.ts';
import type { SpanCondition } from './kept-trace.ts';

/**
 * Is this trace among those that a monitor takes? The same in every process, and whenever it is
 * asked: a hash of the ids is below the rate.
 */
export function isSampled(
  { id, sampleRate, sampleBy }: Pick<StoredMonitor, 'id' | 'sampleRate' | 'sampleBy'>,
  { traceId, sessionId }: Pick<StoredHead, 'traceId' | 'sessionId'>,
): boolean {
  const subject = sampleBy === 'session' && sessionId !== null ? sessionId : traceId;
  const hash = createHash('sha256').update(`${id}/${subject}`).digest();
  return hash.readUIntBE(0, 6) / 2 ** 48 < sampleRate;
}

/** The parts of a head that a filter looks at. */
type FilteredHead = Pick<
  StoredHead,
  | 'serviceName'
  | 'name'
  | 'models'
  | 'tags'
  | 'metadata'
  | 'numErrors'
  | 'startedAt'
  | 'endedAt'
  | 'ratings'
>;

/** Does a trace pass a monitor's filter, but for the condition on its spans? */
export function isMatching({ filter }: Pick<StoredMonitor, 'filter'>, head: FilteredHead): boolean {
  const { serviceName, name, model, tags, metadata, hasError, minDurationMs, rating } = filter;
  const own = new Map(head.metadata);
  return (
    (serviceName == null || head.serviceName === serviceName) &&
    (name == null || head.name === name) &&
    (model == null || head.models.includes(model)) &&
    (tags ?? []).every((tag) => head.tags.includes(tag)) &&
    Object.entries(metadata ?? {}).every(([key, value]) => own.get(key) === value) &&
    (hasError == null || head.numErrors > 0 === hasError) &&
    (rating == null || (head.ratings ?? []).includes(rating)) &&
    (minDurationMs == null || head.endedAt - head.startedAt >= minDurationMs)
  );
}

/** The condition of a filter on the spans of a trace; undefined where it has none. */
export function spanConditionOf({
  filter: { spanName, attributes },
}: Pick<StoredMonitor, 'filter'>): SpanCondition | undefined {
  const pairs = Object.entries(attributes ?? {});
  if (spanName == null && pairs.length === 0) return undefined;
  return { spanName: spanName ?? undefined, attributes: pairs };
}
