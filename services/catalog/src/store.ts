import type { Project } from '@assay/contracts/catalog';
import type { Page, PageRequest } from '@assay/contracts/page';
import { isThere } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import { createImportStore } from './store/imports.ts';
import type { StoredTestset, TestsetDocument } from './store/testset.ts';

export type { StoredTestset } from './store/testset.ts';

interface ProjectDocument extends Omit<Project, 'id'> {
  _id: string;
  organizationId: string;
}

/** A null takes the project's own value away. */
export type ProjectChange = Partial<Omit<Project, 'id' | 'traceRetentionDays'>> & {
  traceRetentionDays?: number | null | undefined;
};

export type Store = ReturnType<typeof createStore>;

/** The catalog's collections. Documents of other organizations are never found. */
export function createStore(database: Database) {
  const projects = database.collection<ProjectDocument>('projects');
  const testsets = database.collection<TestsetDocument>('testsets');
  const projectLock = createProjectLock(database);

  return {
    transaction: database.transaction,
    imports: createImportStore(database),

    async createProject(organizationId: string, { id, ...project }: Project): Promise<void> {
      await projects.insertOne({ _id: id, organizationId, ...project });
    },
    async findProject(organizationId: string, id: string): Promise<Project | undefined> {
      return toProject(await projects.findOne({ _id: id, organizationId }));
    },
    listProjects(organizationId: string, page: PageRequest): Promise<Page<Project>> {
      return findPage(projects, {
        filter: { organizationId },
        page,
        toItem: (document) => toProject(document)!,
      });
    },
    async updateProject(
      organizationId: string,
      id: string,
      { traceRetentionDays, ...change }: ProjectChange,
    ): Promise<Project | undefined> {
      // A $set of nothing is an error to MongoDB, so the id is set to itself.
      return toProject(
        await projects.findOneAndUpdate(
          { _id: id, organizationId },
          {
            $set: {
              organizationId,
              ...change,
              ...(traceRetentionDays == null ? {} : { traceRetentionDays }),
            },
            ...(traceRetentionDays === null ? { $unset: { traceRetentionDays: 1 } } : {}),
          },
          { returnDocument: 'after' },
        ),
      );
    },
    /** Deletes a project with its testsets: the ids of these. Inside a transaction. */
    async deleteProject(
      organizationId: string,
      id: string,
    ): Promise<{ found: boolean; testsetIds: string[] }> {
      await projectLock.close(organizationId, id);
      const { deletedCount } = await projects.deleteOne({ _id: id, organizationId });
      const within = await testsets
        .find({ organizationId, projectId: id }, { projection: { _id: 1 } })
        .toArray();
      await testsets.deleteMany({ organizationId, projectId: id });
      return { found: deletedCount === 1, testsetIds: within.map(({ _id }) => _id) };
    },

    /**
     * Returns false when the project is gone. Inside a transaction: the project's deletion and this
     * cannot both happen.
     */
    async createTestset(
      organizationId: string,
      { id, ...testset }: StoredTestset,
    ): Promise<boolean> {
      if (!(await projectLock.enter(organizationId, testset.projectId, id))) return false;
      await testsets.insertOne({ _id: id, organizationId, ...testset });
      return true;
    },
    async findTestset(organizationId: string, id: string): Promise<StoredTestset | undefined> {
      return toTestset(await testsets.findOne({ _id: id, organizationId, ...isThere }));
    },
    listTestsets(
      organizationId: string,
      projectId: string,
      page: PageRequest,
    ): Promise<Page<StoredTestset>> {
      return findPage(testsets, {
        filter: { organizationId, projectId },
        page,
        toItem: (document) => toTestset(document)!,
      });
    },
    async replaceTestset(organizationId: string, { id, ...testset }: StoredTestset): Promise<void> {
      await testsets.replaceOne({ _id: id, organizationId }, { organizationId, ...testset });
    },
    async deleteTestset(organizationId: string, id: string): Promise<StoredTestset | undefined> {
      return toTestset(await testsets.findOneAndDelete({ _id: id, organizationId, ...isThere }));
    },
  };
}

function toProject(document: ProjectDocument | null): Project | undefined {
  if (!document) return undefined;
  const { _id: id, name, description, traceRetentionDays } = document;
  return {
    id,
    name,
    description,
    ...(traceRetentionDays === undefined ? {} : { traceRetentionDays }),
  };
}

function toTestset(document: TestsetDocument | null): StoredTestset | undefined {
  if (!document) return undefined;
  const { _id, organizationId: _organizationId, ...testset } = document;
  return { id: _id, ...testset, baselineRunId: testset.baselineRunId ?? null };
}
