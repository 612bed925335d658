import { type AuthorMove, authorFields } from '@assay/contracts/project-file';
import type { Database } from '@assay/runtime/mongo/database';
import { findMentioning } from '@assay/runtime/mongo/find-mentioning';
import { moveAuthors } from '@assay/runtime/mongo/move-authors';
import { isLive, type TestcaseDocument } from './testcase.ts';

export interface StoredAnnotation {
  id: string;
  testcaseId: string;
  testsetId: string;
  projectId: string;
  rating: boolean | null;
  comment: string | null;
  mentions: string[];
  editedAt: Date | null;
  userId: string;
  createdAt: Date;
}

type AnnotationDocument = Omit<StoredAnnotation, 'id'> & { _id: string; organizationId: string };

/** Annotations of testcases. */
export function createAnnotationStore(database: Database) {
  const annotations = database.collection<AnnotationDocument>('testcase_annotations');
  const testcases = database.collection<TestcaseDocument>('testcases');

  return {
    /**
     * Holds back the deletion of a testcase, and others that annotate it, until the transaction
     * ends. Returns false when it is gone.
     */
    async enter(organizationId: string, testcaseId: string): Promise<boolean> {
      const { matchedCount } = await testcases.updateOne(
        { _id: testcaseId, organizationId, ...isLive },
        { $inc: { annotationWrites: 1 } },
      );
      return matchedCount === 1;
    },
    async create(organizationId: string, { id, ...annotation }: StoredAnnotation): Promise<void> {
      await annotations.insertOne({ _id: id, organizationId, ...annotation });
    },
    async replace(
      organizationId: string,
      { id, ...annotation }: StoredAnnotation,
    ): Promise<boolean> {
      const { matchedCount } = await annotations.replaceOne(
        { _id: id, organizationId },
        { organizationId, ...annotation },
      );
      return matchedCount === 1;
    },
    async find(
      organizationId: string,
      testcaseId: string,
      id: string,
    ): Promise<StoredAnnotation | undefined> {
      const found = await annotations.findOne({ _id: id, organizationId, testcaseId });
      return found ? fromDocument(found) : undefined;
    },
    /** Returns those of a testcase, oldest first. */
    async list(
      organizationId: string,
      testcaseId: string,
      limit: number,
    ): Promise<StoredAnnotation[]> {
      const found = await annotations
        .find({ organizationId, testcaseId })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(fromDocument);
    },
    /** Those that mention a person in a project, newest first, before this id. */
    async listMentioning(
      organizationId: string,
      wanted: Parameters<typeof findMentioning>[2],
    ): Promise<StoredAnnotation[]> {
      return (await findMentioning(annotations, organizationId, wanted)).map(fromDocument);
    },
    /** Returns those of these testcases that have annotations. */
    annotatedOf: (organizationId: string, testcaseIds: string[]): Promise<string[]> =>
      annotations.distinct('testcaseId', { organizationId, testcaseId: { $in: testcaseIds } }),
    /** Adds those that are not there yet. */
    async addMissing(organizationId: string, added: StoredAnnotation[]): Promise<void> {
      await annotations.bulkWrite(
        added.map(({ id, ...annotation }) => ({
          updateOne: {
            filter: { _id: id, organizationId },
            update: { $setOnInsert: annotation },
            upsert: true,
          },
        })),
      );
    },
    moveAuthor: (organizationId: string, { projectId, ...move }: AuthorMove): Promise<void> =>
      moveAuthors(
        annotations,
        { organizationId, projectId },
        authorFields.testcaseAnnotation,
        move,
      ),
    count: (organizationId: string, testcaseId: string): Promise<number> =>
      annotations.countDocuments({ organizationId, testcaseId }),
    async delete(organizationId: string, id: string): Promise<boolean> {
      const { deletedCount } = await annotations.deleteOne({ _id: id, organizationId });
      return deletedCount === 1;
    },
    async deleteOfTestcases(organizationId: string, testcaseIds: string[]): Promise<void> {
      await annotations.deleteMany({ organizationId, testcaseId: { $in: testcaseIds } });
    },
  };
}

const fromDocument = ({
  _id: id,
  organizationId: _organizationId,
  ...annotation
}: AnnotationDocument): StoredAnnotation => ({ id, ...annotation });
