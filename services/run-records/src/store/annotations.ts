import type { Database } from '@assay/runtime/mongo/database';

export interface StoredAnnotation {
  id: string;
  recordId: string;
  spanId: string | null;
  rating: boolean | null;
  comment: string | null;
  userId: string;
  createdAt: Date;
}

type AnnotationDocument = Omit<StoredAnnotation, 'id'> & { _id: string; organizationId: string };

export function createAnnotationStore(database: Database) {
  const annotations = database.collection<AnnotationDocument>('annotations');
  return {
    async create(organizationId: string, { id, ...annotation }: StoredAnnotation): Promise<void> {
      await annotations.insertOne({ _id: id, organizationId, ...annotation });
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
      return documents.map(({ _id, organizationId: _organizationId, ...annotation }) => ({
        id: _id,
        ...annotation,
      }));
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
