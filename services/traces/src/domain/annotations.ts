import type { Identity, Request } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import { type TraceAnnotation, traceAnnotationsMax, type traces } from '@assay/contracts/traces';
import type { StoredAnnotation } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { keptUntil, type StoredSpans } from './stored-spans.ts';

type Body = Request<(typeof traces)['operations']['createTraceAnnotation']>['body'];

/** The annotations of traces and their spans. */
export function createAnnotations({
  store,
  read,
  newId,
  now,
  partsOf,
}: Pick<Dependencies, 'store' | 'read' | 'newId' | 'now'> & Pick<StoredSpans, 'partsOf'>) {
  const listOf = ({ organizationId }: Identity, traceId: string) =>
    store.annotations.list(organizationId, traceId, traceAnnotationsMax);

  /** Neither a trace that is gone nor one that nothing keeps has annotations. */
  async function refuse(organizationId: string, traceId: string): Promise<never> {
    if (!(await store.heads.find(organizationId, traceId))) throw notFound('trace', traceId);
    throw invalidAt('', 'would be lost: the project of the trace keeps no traces');
  }

  return {
    list: async (identity: Identity, traceId: string): Promise<TraceAnnotation[]> =>
      (await listOf(identity, traceId)).map(toReply),

    /** The trace is kept in the same transaction, which fails where it is being deleted. */
    async create(
      identity: Identity,
      traceId: string,
      { rating = null, comment = null, spanId = null }: Body,
    ): Promise<TraceAnnotation> {
      const { organizationId } = identity;
      if (!(await store.heads.find(organizationId, traceId))) throw notFound('trace', traceId);
      if (rating === null && !comment) throw invalidAt('', 'must have a rating or a comment');
      if (spanId !== null) {
        const parts = await partsOf(identity, traceId);
        if (!(await read({ name: 'findSpan', given: { parts, spanId } })))
          throw invalidAt('/spanId', 'does not belong to this trace');
      }
      if ((await listOf(identity, traceId)).length >= traceAnnotationsMax)
        throw invalidAt('', `would be more than the ${traceAnnotationsMax} that a trace has`);
      const annotation = {
        id: newId(),
        traceId,
        spanId,
        rating,
        comment: comment || null,
        userId: identity.userId,
        createdAt: now(),
      };
      await store.transaction(async () => {
        const kept = await store.heads.keepUntil(organizationId, [traceId], keptUntil);
        if (kept.length === 0) await refuse(organizationId, traceId);
        await store.parts.keepUntil(organizationId, [traceId], keptUntil);
        await store.annotations.create(organizationId, annotation);
      });
      return toReply(annotation);
    },

    async delete({ organizationId }: Identity, traceId: string, id: string) {
      if (!(await store.annotations.delete(organizationId, traceId, id)))
        throw notFound('annotation', id);
      return { success: true as const };
    },
  };
}

const toReply = ({ createdAt, ...annotation }: StoredAnnotation): TraceAnnotation => ({
  ...annotation,
  createdAt: createdAt.toISOString(),
});
