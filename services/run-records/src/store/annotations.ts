import type { Passage } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';

export interface StoredAnnotation {
  id: string;
  recordId: string;
  spanId: string | null;
  rating: boolean | null;
  comment: string | null;
  passage: Passage | null;
  userId: string;
  createdAt: Date;
}

/** Annotations of the whole record have no passage, as those of earlier releases have none. */
type AnnotationDocument = Omit<StoredAnnotation, 'id' | 'passage'> & {
  _id: string;
  organizationId: string;
  passage?: Passage;
};

export function createAnnotationStore(database: Database) {
  const annotations = database.collection<AnnotationDocument>('annotations');
  return {
    async create(
      organizationId: string,
      { id, passage, ...annotation }: StoredAnnotation,
    ): Promise<void> {
      await annotations.insertOne({
        _id: id,
        organizationId,
        ...annotation,
        ...(passage ? { passage } : {}),
      });
    },
    async list(
      organizationId: string,
      recordId: string,
      limit: number,
    ): Promise<StoredAnnotation[]> {
      const documents = await annotations
        .find({ organizationId, recordId })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return documents.map(
        ({ _id, organizationId: _organizationId, passage = null, ...annotation }) => ({
          id: _id,
          passage,
          ...annotation,
        }),
      );
    },
    count: (organizationId: string, recordId: string): Promise<number> =>
      annotations.countDocuments({ organizationId, recordId }),
    async deleteOfRecord(organizationId: string, recordId: string): Promise<void> {
      await annotations.deleteMany({ organizationId, recordId });
    },
    async deleteOfRecords(organizationId: string, recordIds: string[]): Promise<void> {
      await annotations.deleteMany({ organizationId, recordId: { $in: recordIds } });
    },
  };
}
