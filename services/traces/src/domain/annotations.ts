import { checkIsSaid, checkMayChange, checkMayDelete } from '@assay/contracts/annotation-rules';
import type { Identity, Request } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import { createMentions } from '@assay/contracts/mentioned-members';
import { mentionsIn } from '@assay/contracts/mentions';
import type { Mention } from '@assay/contracts/run-records';
import { type TraceAnnotation, traceAnnotationsMax, type traces } from '@assay/contracts/traces';
import type { StoredAnnotation } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { keptUntil, type StoredSpans } from './stored-spans.ts';

type Operations = (typeof traces)['operations'];
type Body = Request<Operations['createTraceAnnotation']>['body'];
type Change = Request<Operations['updateTraceAnnotation']>['body'];

/** The annotations of traces and their spans. */
export function createAnnotations({
  store,
  ask,
  newId,
  now,
  findSpan,
}: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'> & Pick<StoredSpans, 'findSpan'>) {
  const findMentions = createMentions(ask.identity.isMember);

  /** Neither a trace that is gone nor one that nothing keeps has annotations. */
  async function refuse(organizationId: string, traceId: string): Promise<never> {
    if (!(await store.heads.find(organizationId, traceId))) throw notFound('trace', traceId);
    throw invalidAt('', 'would be lost: the project of the trace keeps no traces');
  }

  /** To be called in the transaction that changes what is said of a trace. */
  async function keepRatings(organizationId: string, traceId: string): Promise<void> {
    const said = await store.annotations.list(organizationId, traceId, traceAnnotationsMax);
    const ratings = new Set(said.map(({ rating }) => rating).filter((rating) => rating !== null));
    await store.heads.setRatings(organizationId, traceId, [...ratings]);
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
      const head = await store.heads.find(organizationId, traceId);
      if (!head) throw notFound('trace', traceId);
      checkIsSaid({ rating, comment });
      const mentions = await findMentions(identity, comment);
      if (spanId !== null && !(await findSpan(identity, head, spanId)))
        throw invalidAt('/spanId', 'does not belong to this trace');
      const annotation = {
        id: newId(),
        traceId,
        spanId,
        rating,
        comment: comment || null,
        ...mentioned(head.projectId, mentions),
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
        await keepRatings(organizationId, traceId);
      });
      return toReply(annotation);
    },

    /** @throws FORBIDDEN for everybody but its author. */
    async update(
      identity: Identity,
      { traceId, annotationId }: { traceId: string; annotationId: string },
      { rating, comment }: Change,
    ): Promise<TraceAnnotation> {
      const { organizationId } = identity;
      const head = await store.heads.find(organizationId, traceId);
      const before = head && (await store.annotations.find(organizationId, traceId, annotationId));
      if (!before) throw notFound('annotation', annotationId);
      checkMayChange(identity, before);
      const { projectId: _projectId, mentions: _mentions, ...kept } = before;
      const changed = {
        ...kept,
        ...(rating === undefined ? {} : { rating }),
        ...(comment === undefined ? {} : { comment: comment || null }),
        editedAt: now(),
      };
      checkIsSaid(changed);
      const mentions = await findMentions(identity, changed.comment, mentionsIn(before.comment));
      const annotation = { ...changed, ...mentioned(head.projectId, mentions) };
      await store.transaction(async () => {
        if (!(await store.annotations.replace(organizationId, annotation)))
          throw notFound('annotation', annotationId);
        await keepRatings(organizationId, traceId);
      });
      return toReply(annotation);
    },

    async mentions(
      { organizationId }: Identity,
      wanted: { projectId: string; userId: string; after: string | null; limit: number },
    ): Promise<{ mentions: Mention[] }> {
      const found = await store.annotations.listMentioning(organizationId, wanted);
      return { mentions: found.map(toMention) };
    },

    /** @throws FORBIDDEN for a member who did not make it and is no admin. */
    async delete(identity: Identity, traceId: string, id: string) {
      const { organizationId } = identity;
      const found = await store.annotations.find(organizationId, traceId, id);
      if (!found) throw notFound('annotation', id);
      checkMayDelete(identity, found);
      await store.transaction(async () => {
        if (!(await store.annotations.delete(organizationId, traceId, id)))
          throw notFound('annotation', id);
        await keepRatings(organizationId, traceId);
      });
      return { success: true as const };
    },
  };
}

const mentioned = (projectId: string, mentions: string[]) =>
  mentions.length > 0 ? { projectId, mentions } : {};

const toReply = ({
  projectId: _projectId,
  mentions: _mentions,
  editedAt = null,
  createdAt,
  ...annotation
}: StoredAnnotation): TraceAnnotation => ({
  ...annotation,
  mentions: mentionsIn(annotation.comment),
  editedAt: editedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

const toMention = ({
  id,
  traceId,
  spanId,
  comment,
  userId,
  createdAt,
}: StoredAnnotation): Mention => ({
  id,
  about: 'trace',
  traceId,
  ...(spanId === null ? {} : { spanId }),
  comment: comment ?? '',
  userId,
  createdAt: createdAt.toISOString(),
});
