import { createHash } from 'node:crypto';
import type { StoredHead, StoredMonitor } from '../store.ts';

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

/** Does a trace pass a monitor's filter, but for the condition on its spans? */
export function isMatching({ filter }: Pick<StoredMonitor, 'filter'>, head: StoredHead): boolean {
  const { serviceName, name, model, tags, metadata, hasError, minDurationMs } = filter;
  const own = new Map(head.metadata);
  return (
    (serviceName == null || head.serviceName === serviceName) &&
    (name == null || head.name === name) &&
    (model == null || head.models.includes(model)) &&
    (tags ?? []).every((tag) => head.tags.includes(tag)) &&
    Object.entries(metadata ?? {}).every(([key, value]) => own.get(key) === value) &&
    (hasError == null || head.numErrors > 0 === hasError) &&
    (minDurationMs == null || head.endedAt - head.startedAt >= minDurationMs)
  );
}
