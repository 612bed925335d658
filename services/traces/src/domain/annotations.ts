import type { Identity, Request } from '@assay/contracts/define';
import { Failure, invalidAt, notFound } from '@assay/contracts/failure';
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
  /** Neither a trace that is gone nor one that nothing keeps has annotations. */
  async function refuse(organizationId: string, traceId: string): Promise<never> {
    if (!(await store.heads.find(organizationId, traceId))) throw notFound('trace', traceId);
    throw invalidAt('', 'would be lost: the project of the trace keeps no traces');
  }

  return {
    list: async (identity: Identity, traceId: string): Promise<TraceAnnotation[]> =>
      (await store.annotations.list(identity.organizationId, traceId, traceAnnotationsMax)).map(
        toReply,
      ),

    /**
     * The trace is kept in the same transaction, which fails where it is being deleted. Two at once
     * write its head, so that the second counts the first.
     */
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
        if (!(await store.heads.keepAnnotated(organizationId, traceId, keptUntil)))
          await refuse(organizationId, traceId);
        if ((await store.annotations.count(organizationId, traceId)) >= traceAnnotationsMax)
          throw invalidAt('', `would be more than the ${traceAnnotationsMax} that a trace has`);
        await store.parts.keepUntil(organizationId, [traceId], keptUntil);
        await store.annotations.create(organizationId, annotation);
      });
      return toReply(annotation);
    },

    /** @throws FORBIDDEN for a member who did not make it and is no admin. */
    async delete({ organizationId, userId, role }: Identity, traceId: string, id: string) {
      const found = await store.annotations.find(organizationId, traceId, id);
      if (!found) throw notFound('annotation', id);
      if (found.userId !== userId && role !== 'admin')
        throw new Failure('FORBIDDEN', 'Only its author or an admin may delete an annotation.');
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
