import { idOf } from './head.ts';
import type { Arrival } from './heads.ts';
import type { NewPart } from './parts.ts';

/** Bytes up to which spans of one trace that come at the same time are one part. */
const gatheredBytesMax = 256 * 1024;

/**
 * Puts parts of one trace together that are stored at the same time: requests of one span are the
 * default of many clients. Requests of protobuf that stand one after the other are one request.
 */
export function gatherParts(
  parts: { organizationId: string; part: NewPart }[],
): { organizationId: string; part: NewPart }[] {
  const gathered: {
    organizationId: string;
    part: NewPart;
    all: Uint8Array[];
    ids: Uint8Array[];
    length: number;
  }[] = [];
  const newest = new Map<string, (typeof gathered)[number]>();
  for (const { organizationId, part } of parts) {
    const key = idOf(organizationId, part.traceId);
    const known = newest.get(key);
    if (known && known.length + part.bytes.length <= gatheredBytesMax) {
      known.all.push(part.bytes);
      known.ids.push(part.spanIds);
      known.length += part.bytes.length;
      known.part = {
        ...known.part,
        numSpans: known.part.numSpans + part.numSpans,
        expiresAt: later(known.part.expiresAt, part.expiresAt),
      };
      continue;
    }
    const made = {
      organizationId,
      part,
      all: [part.bytes],
      ids: [part.spanIds],
      length: part.bytes.length,
    };
    newest.set(key, made);
    gathered.push(made);
  }
  return gathered.map(({ organizationId, part, all, ids }) => ({
    organizationId,
    part:
      all.length === 1 ? part : { ...part, bytes: Buffer.concat(all), spanIds: Buffer.concat(ids) },
  }));
}

/** Puts together the arrivals of one trace, as one request with all of their spans would have it. */
export function gatherArrivals(
  arrivals: { organizationId: string; arrival: Arrival }[],
): { organizationId: string; arrival: Arrival }[] {
  const gathered = new Map<string, { organizationId: string; arrival: Arrival }>();
  for (const { organizationId, arrival } of arrivals) {
    const key = idOf(organizationId, arrival.traceId);
    const known = gathered.get(key);
    gathered.set(key, {
      organizationId,
      arrival: known ? together(known.arrival, arrival) : arrival,
    });
  }
  return [...gathered.values()];
}

function together(one: Arrival, other: Arrival): Arrival {
  const { projectId, isProjectGuessed } = one.isProjectGuessed ? other : one;
  return {
    traceId: one.traceId,
    projectId,
    isProjectGuessed,
    numSpans: one.numSpans + other.numSpans,
    numErrors: one.numErrors + other.numErrors,
    startedAt: Math.min(one.startedAt, other.startedAt),
    endedAt: Math.max(one.endedAt, other.endedAt),
    firstName: other.startedAt < one.startedAt ? other.firstName : one.firstName,
    rootName: one.rootName ?? other.rootName,
    serviceName: one.serviceName ?? other.serviceName,
    at: later(one.at, other.at),
    expiresAt: later(one.expiresAt, other.expiresAt),
    isNeverKept: one.isNeverKept || other.isNeverKept,
  };
}

const later = (one: Date, other: Date): Date => (one > other ? one : other);
