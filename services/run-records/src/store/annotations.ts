import type { Passage } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';
import { findMentioning } from '@assay/runtime/mongo/find-mentioning';

export interface StoredAnnotation {
  id: string;
  recordId: string;
  spanId: string | null;
  rating: boolean | null;
  comment: string | null;
  passage: Passage | null;
  /** The record beside which it was written, where it is about a pair. */
  comparedRecordId?: string | null;
  editedAt?: Date | null;
  userId: string;
  createdAt: Date;
}

/** By whom the comment is found, where it mentions people: imported ones mention nobody. */
export interface MentionedPeople {
  projectId: string;
  mentions: string[];
}

/** A null is left out, as those of earlier releases have none of the later fields. */
export type AnnotationDocument = Omit<StoredAnnotation, 'id' | 'passage'> & {
  _id: string;
  organizationId: string;
  passage?: Passage;
} & Partial<MentionedPeople>;

export function createAnnotationStore(database: Database) {
  const annotations = database.collection<AnnotationDocument>('annotations');
  return {
    async create(
      organizationId: string,
      annotation: StoredAnnotation,
      mentioned: MentionedPeople,
    ): Promise<void> {
      await annotations.insertOne(toDocument(organizationId, annotation, mentioned));
    },
    async replace(
      organizationId: string,
      annotation: StoredAnnotation,
      mentioned: MentionedPeople,
    ): Promise<boolean> {
      const { matchedCount } = await annotations.replaceOne(
        { _id: annotation.id, organizationId, recordId: annotation.recordId },
        toDocument(organizationId, annotation, mentioned),
      );
      return matchedCount === 1;
    },
    async find(
      organizationId: string,
      recordId: string,
      id: string,
    ): Promise<StoredAnnotation | undefined> {
      const found = await annotations.findOne({ _id: id, organizationId, recordId });
      return found ? fromDocument(found) : undefined;
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
      return documents.map(fromDocument);
    },
    /** Those that mention a person in a project, newest first, before this id. */
    async listMentioning(
      organizationId: string,
      wanted: Parameters<typeof findMentioning>[2],
    ): Promise<StoredAnnotation[]> {
      return (await findMentioning(annotations, organizationId, wanted)).map(fromDocument);
    },
    count: (organizationId: string, recordId: string): Promise<number> =>
      annotations.countDocuments({ organizationId, recordId }),
    async delete(organizationId: string, recordId: string, id: string): Promise<boolean> {
      const { deletedCount } = await annotations.deleteOne({ _id: id, organizationId, recordId });
      return deletedCount === 1;
    },
    async deleteOfRecord(organizationId: string, recordId: string): Promise<void> {
      await annotations.deleteMany({ organizationId, recordId });
    },
    async deleteOfRecords(organizationId: string, recordIds: string[]): Promise<void> {
      await annotations.deleteMany({ organizationId, recordId: { $in: recordIds } });
    },
  };
}

const toDocument = (
  organizationId: string,
  { id, passage, comparedRecordId, editedAt, ...annotation }: StoredAnnotation,
  mentioned: MentionedPeople,
): AnnotationDocument => ({
  _id: id,
  organizationId,
  ...annotation,
  ...(passage ? { passage } : {}),
  ...(comparedRecordId ? { comparedRecordId } : {}),
  ...(editedAt ? { editedAt } : {}),
  ...(mentioned.mentions.length > 0 ? mentioned : {}),
});

const fromDocument = ({
  _id: id,
  organizationId: _organizationId,
  projectId: _projectId,
  mentions: _mentions,
  passage,
  ...annotation
}: AnnotationDocument): StoredAnnotation => ({ id, ...annotation, passage: passage ?? null });
