import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { Passage } from '@assay/contracts/run-records';
import type { StoredAnnotation } from '../../store/annotations.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';

/** A record has this many annotations at most. */
const annotationsMax = 1000;

export interface AnnotationBody {
  rating?: boolean | null | undefined;
  comment?: string | null | undefined;
  spanId?: string | null | undefined;
  passage?: Passage | null | undefined;
}

export function createAnnotations({
  store,
  newId,
  now,
  runs,
}: Pick<Dependencies, 'store' | 'newId' | 'now'> & { runs: Runs }) {
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
      { rating, comment, spanId, passage }: AnnotationBody,
    ) {
      await runs.recordOf(identity, recordId);
      if (rating == null && !comment) throw invalidAt('', 'must have a rating or a comment');
      if ((await store.annotations.count(identity.organizationId, recordId)) >= annotationsMax) {
        throw invalidAt(
          '',
          `would be more than the ${annotationsMax} annotations that a record has`,
        );
      }
      const annotation: StoredAnnotation = {
        id: newId(),
        recordId,
        spanId: spanId ?? null,
        rating: rating ?? null,
        comment: comment ?? null,
        passage: passage ?? null,
        userId: identity.userId,
        createdAt: now(),
      };
      await store.transaction(async () => {
        if (!(await store.records.markAnnotated(identity.organizationId, recordId)))
          throw notFound('record', recordId);
        await store.annotations.create(identity.organizationId, annotation);
      });
      return toReply(annotation);
    },
  };
}

const toReply = (annotation: StoredAnnotation) => ({
  ...annotation,
  createdAt: annotation.createdAt.toISOString(),
});
