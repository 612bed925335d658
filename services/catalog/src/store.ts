import type { Project } from '@assay/contracts/catalog';
import type { Page, PageRequest } from '@assay/contracts/page';
import { isThere } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import { createImportStore } from './store/imports.ts';
import { createNameStore } from './store/names.ts';
import type { StoredTestset, TestsetDocument } from './store/testset.ts';
import { createViewStore } from './store/views.ts';

export type { StoredTestset } from './store/testset.ts';

interface ProjectDocument extends Omit<Project, 'id'> {
  _id: string;
  organizationId: string;
}

/** The rules of a project that may be missing. */
const rules = ['traceRetentionDays', 'runRetentionDays'] as const;
type Rule = (typeof rules)[number];

/** A null takes the project's own value away. */
export type ProjectChange = Partial<Omit<Project, 'id' | Rule>> & {
  [name in Rule]?: number | null | undefined;
};

export type Store = ReturnType<typeof createStore>;

/** The catalog's collections. Documents of other organizations are never found. */
export function createStore(database: Database) {
  const projects = database.collection<ProjectDocument>('projects');
  const testsets = database.collection<TestsetDocument>('testsets');
  const projectLock = createProjectLock(database);
  const views = createViewStore(database);

  return {
    transaction: database.transaction,
    imports: createImportStore(database),
    names: createNameStore(database),
    views,

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
      { traceRetentionDays, runRetentionDays, ...change }: ProjectChange,
    ): Promise<Project | undefined> {
      const sent = { traceRetentionDays, runRetentionDays };
      const given = rules.filter((rule) => sent[rule] != null);
      const gone = rules.filter((rule) => sent[rule] === null);
      // A $set of nothing is an error to MongoDB, so the id is set to itself.
      return toProject(
        await projects.findOneAndUpdate(
          { _id: id, organizationId },
          {
            $set: {
              organizationId,
              ...change,
              ...Object.fromEntries(given.map((rule) => [rule, sent[rule]])),
            },
            ...(gone.length > 0
              ? { $unset: Object.fromEntries(gone.map((rule) => [rule, 1])) }
              : {}),
          },
          { returnDocument: 'after' },
        ),
      );
    },
    /** The projects of an organization that keep runs for some time only, or the one of this id. */
    async listRunRetentions(
      organizationId: string,
      projectId: string | undefined,
    ): Promise<{ projectId: string; days: number | null; baselineRunIds: string[] }[]> {
      const found = await projects
        .find(
          {
            organizationId,
            ...(projectId === undefined
              ? { runRetentionDays: { $exists: true } }
              : { _id: projectId }),
          },
          { projection: { runRetentionDays: 1 } },
        )
        .toArray();
      const baselines = await testsets
        .find(
          {
            organizationId,
            projectId: { $in: found.map(({ _id }) => _id) },
            baselineRunId: { $type: 'string' },
          },
          { projection: { projectId: 1, baselineRunId: 1 } },
        )
        .toArray();
      return found.map(({ _id, runRetentionDays = null }) => ({
        projectId: _id,
        days: runRetentionDays,
        baselineRunIds: baselines.flatMap(({ projectId, baselineRunId }) =>
          projectId === _id && baselineRunId ? [baselineRunId] : [],
        ),
      }));
    },
    /** Deletes a project with its views and testsets: the ids of these. Inside a transaction. */
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
      await views.deleteOfProject(organizationId, id);
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
      const { tagsField, ...kept } = testset;
      await testsets.replaceOne(
        { _id: id, organizationId },
        { organizationId, ...kept, ...(tagsField === undefined ? {} : { tagsField }) },
      );
    },
    async deleteTestset(organizationId: string, id: string): Promise<StoredTestset | undefined> {
      return toTestset(await testsets.findOneAndDelete({ _id: id, organizationId, ...isThere }));
    },
  };
}

function toProject(document: ProjectDocument | null): Project | undefined {
  if (!document) return undefined;
  const { _id: id, name, description, traceRetentionDays, runRetentionDays } = document;
  return {
    id,
    name,
    description,
    ...(traceRetentionDays === undefined ? {} : { traceRetentionDays }),
    ...(runRetentionDays === undefined ? {} : { runRetentionDays }),
  };
}

function toTestset(document: TestsetDocument | null): StoredTestset | undefined {
  if (!document) return undefined;
  const { _id, organizationId: _organizationId, ...testset } = document;
  return { id: _id, ...testset, baselineRunId: testset.baselineRunId ?? null };
}
