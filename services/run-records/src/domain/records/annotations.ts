import { checkIsSaid, checkMayChange, checkMayDelete } from '@assay/contracts/annotation-rules';
import type { Identity, Request } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import { createMentions } from '@assay/contracts/mentioned-members';
import { mentionsIn } from '@assay/contracts/mentions';
import type { runRecords } from '@assay/contracts/run-records';
import type { StoredAnnotation } from '../../store/annotations.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';

/** A record has this many annotations at most. */
const annotationsMax = 1000;

type Operations = (typeof runRecords)['operations'];
type AnnotationBody = Request<Operations['createAnnotation']>['body'];
type AnnotationChange = Request<Operations['updateAnnotation']>['body'];

export interface AnnotationPlace {
  recordId: string;
  recordAnnotationId: string;
}

export function createAnnotations({
  store,
  ask,
  newId,
  now,
  runs,
}: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'> & { runs: Runs }) {
  const findMentions = createMentions(ask.identity.isMember);

  async function annotationOf(
    { organizationId }: Identity,
    recordId: string,
    id: string,
  ): Promise<StoredAnnotation> {
    const found = await store.annotations.find(organizationId, recordId, id);
    if (!found) throw notFound('annotation', id);
    return found;
  }

  /** The other record of a pair: of the same testcase, in another run. */
  async function checkCompared(
    identity: Identity,
    { testcaseId, runId }: { testcaseId?: string | null; runId: string },
    comparedRecordId: string,
  ): Promise<void> {
    const other = await store.records.findEnvelope(identity.organizationId, comparedRecordId);
    if (!other) throw invalidAt('/comparedRecordId', 'does not belong to this organization');
    if (!testcaseId || other.testcaseId !== testcaseId || other.runId === runId)
      throw invalidAt('/comparedRecordId', 'must be of the same testcase in another run');
  }

  return {
    async list(identity: Identity, recordId: string) {
      await runs.recordOf(identity, recordId);
      return {
        data: (await store.annotations.list(identity.organizationId, recordId, annotationsMax)).map(
          toReply,
        ),
      };
    },
    async create(
      identity: Identity,
      recordId: string,
      { rating, comment, spanId, passage, comparedRecordId }: AnnotationBody,
    ) {
      const { record, run } = await runs.recordOf(identity, recordId);
      checkIsSaid({ rating, comment });
      if (comparedRecordId != null) await checkCompared(identity, record, comparedRecordId);
      const mentions = await findMentions(identity, comment);
      const annotation: StoredAnnotation = {
        id: newId(),
        recordId,
        spanId: spanId ?? null,
        rating: rating ?? null,
        comment: comment ?? null,
        passage: passage ?? null,
        comparedRecordId: comparedRecordId ?? null,
        userId: identity.userId,
        createdAt: now(),
      };
      const mentioned = { projectId: run.projectId, mentions };
      await store.transaction(async () => {
        if (!(await store.records.markAnnotated(identity.organizationId, recordId)))
          throw notFound('record', recordId);
        // Others that annotate the record wait since it was marked.
        if ((await store.annotations.count(identity.organizationId, recordId)) >= annotationsMax)
          throw invalidAt(
            '',
            `would be more than the ${annotationsMax} annotations that a record has`,
          );
        await store.annotations.create(identity.organizationId, annotation, mentioned);
      });
      return toReply(annotation);
    },
    /** @throws FORBIDDEN for everybody but its author. */
    async update(
      identity: Identity,
      { recordId, recordAnnotationId: annotationId }: AnnotationPlace,
      change: AnnotationChange,
    ) {
      const { run } = await runs.recordOf(identity, recordId);
      const before = await annotationOf(identity, recordId, annotationId);
      checkMayChange(identity, before);
      const annotation = { ...before, ...changeOf(change), editedAt: now() };
      checkIsSaid(annotation);
      const mentions = await findMentions(identity, annotation.comment, mentionsIn(before.comment));
      const mentioned = { projectId: run.projectId, mentions };
      if (!(await store.annotations.replace(identity.organizationId, annotation, mentioned)))
        throw notFound('annotation', annotationId);
      return toReply(annotation);
    },
    /** @throws FORBIDDEN for a member who did not make it and is no admin. */
    async delete(
      identity: Identity,
      { recordId, recordAnnotationId: annotationId }: AnnotationPlace,
    ) {
      const { organizationId } = identity;
      await runs.recordOf(identity, recordId);
      const found = await annotationOf(identity, recordId, annotationId);
      checkMayDelete(identity, found);
      await store.transaction(async () => {
        if (!(await store.annotations.delete(organizationId, recordId, annotationId)))
          throw notFound('annotation', annotationId);
        const isLast = (await store.annotations.count(organizationId, recordId)) === 0;
        await store.records.noteDeletedAnnotation(organizationId, recordId, { isLast });
      });
      return { success: true as const };
    },
  };
}

/** A field that is left out stays as it is. */
const changeOf = ({ rating, comment }: AnnotationChange) => ({
  ...(rating === undefined ? {} : { rating }),
  ...(comment === undefined ? {} : { comment }),
});

const toReply = ({
  createdAt,
  editedAt = null,
  comparedRecordId = null,
  ...annotation
}: StoredAnnotation) => ({
  ...annotation,
  comparedRecordId,
  mentions: mentionsIn(annotation.comment),
  editedAt: editedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});
