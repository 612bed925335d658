import type { Identity, ProtocolReply } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import {
  type CountedName,
  contentTypeOf,
  type Encoding,
  encodingOf,
  type PartialSuccess,
  writeReply,
} from '@assay/otlp/reply';
import type { Arrival, NewPart } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import type { FoundProject, Projects } from './projects.ts';
import type { KeptSignal, ReceivedPart } from './received-request.ts';
import type { TraceQuota } from './trace-quota.ts';

/** An export of a client of OTLP/HTTP. */
export interface Export {
  bytes: Buffer;
  contentType: string | undefined;
  /** The project of spans that name none. */
  projectId?: string | undefined;
}

/** Where a trace belongs, and for how long it stays there. */
type Place = Pick<Arrival, 'projectId' | 'isProjectGuessed' | 'isNeverKept' | 'expiresAt'>;

const dayMs = 24 * 60 * 60 * 1000;
/** Of traces that are not to be kept: monitors are asked about them before they go. */
const shortestMs = 60 * 60 * 1000;

/** Takes the exports of clients of OTLP/HTTP, and answers in the form of their request. */
export function createReceiving({
  store,
  read,
  newId,
  now,
  retentionDays,
  projects,
  quota,
}: Pick<Dependencies, 'store' | 'read' | 'newId' | 'now' | 'retentionDays'> & {
  projects: Projects;
  quota: TraceQuota;
}) {
  function placeIn({ retentionDays: own, ...project }: FoundProject, at: Date): Place {
    const days = own ?? retentionDays;
    return {
      ...project,
      isNeverKept: days === 0,
      expiresAt: new Date(at.getTime() + Math.max(days * dayMs, shortestMs)),
    };
  }

  /** Returns how many spans are left out, since their trace was deleted. */
  async function keep(
    identity: Identity,
    parts: ReceivedPart[],
    projectId: string | undefined,
  ): Promise<number> {
    if (parts.length === 0) return 0;
    const at = now();
    const places = new Map<string | undefined, Place>();
    for (const { projectId: named } of parts)
      if (!places.has(named))
        places.set(named, placeIn(await projects.find(identity, [named, projectId]), at));
    const { organizationId } = identity;
    const bytes = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return quota.within(organizationId, bytes, () =>
      store.receive({
        organizationId,
        parts: parts.map(
          ({ traceId, bytes, numSpans, spanIds, projectId: named }): NewPart => ({
            id: newId(),
            traceId,
            bytes,
            numSpans,
            spanIds,
            expiresAt: places.get(named)!.expiresAt,
          }),
        ),
        arrivals: parts.map(
          ({ bytes: _bytes, spanIds: _spanIds, projectId: named, ...known }): Arrival => ({
            ...known,
            ...places.get(named)!,
            at,
          }),
        ),
      }),
    );
  }

  return {
    /** Answers when the spans are durable. Those that cannot be kept are refused one by one. */
    receiveSpans: (identity: Identity, sent: Export): Promise<ProtocolReply> =>
      receive(identity, sent, 'traces'),

    /** Answers when the log records that tell about spans are durable; the others are refused. */
    receiveLogs: (identity: Identity, sent: Export): Promise<ProtocolReply> =>
      receive(identity, sent, 'logs'),

    /** Answers that no data point is kept, and how many there were. */
    rejectMetrics: (sent: Export): Promise<ProtocolReply> =>
      answer(sent, 'rejectedDataPoints', async (encoding) => {
        const counting = await read({
          name: 'countPoints',
          given: { bytes: sent.bytes, encoding },
        });
        if ('refused' in counting) throw new Failure('MALFORMED_JSON', counting.refused);
        return { rejected: counting.count, message: noMetrics };
      }),
  };

  function receive(identity: Identity, sent: Export, signal: KeptSignal): Promise<ProtocolReply> {
    return answer(sent, countedNames[signal], async (encoding) => {
      const reading = await read({
        name: 'readRequest',
        given: { bytes: sent.bytes, encoding, signal, now: now().getTime() },
      });
      if ('refused' in reading) throw new Failure('MALFORMED_JSON', reading.refused);
      const { parts, numRejected, reason } = reading.request;
      const numDeleted = await keep(identity, parts, sent.projectId);
      return {
        rejected: numRejected + numDeleted,
        message: reason === '' && numDeleted > 0 ? ofDeletedTrace : reason,
      };
    });
  }
}

const ofDeletedTrace = 'the trace was deleted within the last hour';
const noMetrics = 'metrics are not kept: send spans to /otel/v1/traces';

const countedNames = { traces: 'rejectedSpans', logs: 'rejectedLogRecords' } as const;

/** Replies to an export by its partial success. Failures get their form where they leave. */
async function answer(
  { contentType }: Export,
  counted: CountedName,
  take: (encoding: Encoding) => Promise<PartialSuccess>,
): Promise<ProtocolReply> {
  const encoding = encodingOf(contentType) ?? 'json';
  const body = Buffer.from(writeReply(encoding, await take(encoding), counted));
  return { status: 200, contentType: contentTypeOf(encoding), body };
}
