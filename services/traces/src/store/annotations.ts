import type { Database } from '@assay/runtime/mongo/database';
import { findMentioning } from '@assay/runtime/mongo/find-mentioning';

export interface StoredAnnotation {
  id: string;
  traceId: string;
  spanId: string | null;
  rating: boolean | null;
  comment: string | null;
  editedAt?: Date | null;
  /** By whom the comment is found, where it mentions people. */
  projectId?: string;
  mentions?: string[];
  userId: string;
  createdAt: Date;
}

type AnnotationDocument = Omit<StoredAnnotation, 'id'> & { _id: string; organizationId: string };

/** Annotations of traces and their spans. */
export function createAnnotationStore(database: Database) {
  const annotations = database.collection<AnnotationDocument>('trace_annotations');

  return {
    async create(organizationId: string, { id, ...annotation }: StoredAnnotation): Promise<void> {
      await annotations.insertOne({ _id: id, organizationId, ...annotation });
    },

    /** Returns those of a trace, oldest first. */
    async list(
      organizationId: string,
      traceId: string,
      limit: number,
    ): Promise<StoredAnnotation[]> {
      const found = await annotations
        .find({ organizationId, traceId })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(fromDocument);
    },

    count: (organizationId: string, traceId: string): Promise<number> =>
      annotations.countDocuments({ organizationId, traceId }),

    async find(
      organizationId: string,
      traceId: string,
      id: string,
    ): Promise<StoredAnnotation | undefined> {
      const found = await annotations.findOne({ _id: id, organizationId, traceId });
      return found ? fromDocument(found) : undefined;
    },

    async replace(
      organizationId: string,
      { id, ...annotation }: StoredAnnotation,
    ): Promise<boolean> {
      const { matchedCount } = await annotations.replaceOne(
        { _id: id, organizationId, traceId: annotation.traceId },
        { organizationId, ...annotation },
      );
      return matchedCount === 1;
    },

    /** Those that mention a person in a project, newest first, before this id. */
    async listMentioning(
      organizationId: string,
      wanted: Parameters<typeof findMentioning>[2],
    ): Promise<StoredAnnotation[]> {
      return (await findMentioning(annotations, organizationId, wanted)).map(fromDocument);
    },

    async delete(organizationId: string, traceId: string, id: string): Promise<boolean> {
      const { deletedCount } = await annotations.deleteOne({ _id: id, organizationId, traceId });
      return deletedCount === 1;
    },

    async deleteOfTraces(organizationId: string, traceIds: string[]): Promise<void> {
      await annotations.deleteMany({ organizationId, traceId: { $in: traceIds } });
    },
  };
}

const fromDocument = ({
  _id: id,
  organizationId: _organizationId,
  ...annotation
}: AnnotationDocument): StoredAnnotation => ({ id, ...annotation });
