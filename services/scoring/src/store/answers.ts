import type { Database } from '@assay/runtime/mongo/database';
import { duplicateAt } from '@assay/runtime/mongo/errors';

/** An answer of a judge, under the key of its question. */
export interface StoredAnswer {
  key: string;
  /** As JSON text. */
  answer: string;
  model: string;
  notes: string[];
  inputTokens: number;
  outputTokens: number;
}

type AnswerDocument = Omit<StoredAnswer, 'key'> & {
  _id: string;
  organizationId: string;
  /** The project whose record was judged first: the answer goes with it. */
  projectId: string;
  keptAt: Date;
  expiresAt: Date;
};

interface DeletedProjectDocument {
  _id: string;
  organizationId: string;
  deletedAt: Date;
}

/** Answers deleted at once. */
const batch = 1000;

/** The answers that judges gave, for all processes. */
export function createAnswerStore(database: Database) {
  const answers = database.collection<AnswerDocument>('answers');
  const deletedProjects = database.collection<DeletedProjectDocument>('deleted_projects');
  const idOf = (organizationId: string, key: string) => `${organizationId}/${key}`;
  return {
    /** Finds the answers to some questions that were kept after `since`. */
    async find(organizationId: string, keys: string[], since: Date): Promise<StoredAnswer[]> {
      const ids = keys.map((key) => idOf(organizationId, key));
      const found = await answers
        .find({ _id: { $in: ids }, organizationId, keptAt: { $gt: since } })
        .toArray();
      return found.map(({ _id, answer, model, notes, inputTokens, outputTokens }) => ({
        key: _id.slice(organizationId.length + 1),
        answer,
        model,
        notes,
        inputTokens,
        outputTokens,
      }));
    },

    /** Keeps answers until `expiresAt`. One to the same question is replaced. */
    async keep(
      organizationId: string,
      kept: StoredAnswer[],
      owner: { projectId: string; keptAt: Date; expiresAt: Date },
    ): Promise<void> {
      if (kept.length === 0) return;
      // Quick rather than durable: an answer that is lost with the database is asked for again.
      const writes = kept.map(({ key, ...answer }) => ({
        replaceOne: {
          filter: { _id: idOf(organizationId, key), organizationId },
          replacement: { organizationId, ...answer, ...owner },
          upsert: true,
        },
      }));
      try {
        await answers.bulkWrite(writes, {
          ordered: false,
          writeConcern: { w: 1, journal: false },
        });
      } catch (error) {
        // Another process has kept its answer to the same question at the same time.
        if (duplicateAt(error) === undefined) throw error;
      }
    },

    /** Marks a project's answers as deleted. They go in the background. */
    async forgetProject(organizationId: string, projectId: string, deletedAt: Date): Promise<void> {
      await deletedProjects.updateOne(
        { _id: projectId, organizationId },
        { $setOnInsert: { deletedAt } },
        { upsert: true },
      );
    },

    /** Deletes the answers of a deleted project, batch by batch. */
    async *deleteOfProject(organizationId: string, projectId: string): AsyncGenerator<void> {
      for (;;) {
        const found = await answers
          .find({ organizationId, projectId }, { projection: { _id: 1 } })
          .limit(batch)
          .toArray();
        if (found.length === 0) return;
        const ids = found.map(({ _id }) => _id);
        await answers.deleteMany({ _id: { $in: ids }, organizationId, projectId });
        yield;
      }
    },
  };
}

export type AnswerStore = ReturnType<typeof createAnswerStore>;
