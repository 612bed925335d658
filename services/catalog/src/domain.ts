import type { catalog, FieldMapping, Project } from '@assay/contracts/catalog';
import type { Announcements, Asks, Identity, Request } from '@assay/contracts/define';
import { type Issue, invalid, invalidAt, notFound } from '@assay/contracts/failure';
import type { metrics } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import { runExpired, type runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { systems } from '@assay/contracts/systems';
import type { testcases } from '@assay/contracts/testcases';
import type { traces } from '@assay/contracts/traces';
import { topLevelKeys } from '@assay/json-schema/keys';
import { createImports } from './domain/imports.ts';
import { createNames } from './domain/names.ts';
import { createProjectPart } from './domain/project-part.ts';
import { describeSchema } from './domain/schema.ts';
import { createViews } from './domain/views.ts';
import type { ProjectChange, Store, StoredTestset } from './store.ts';

interface Dependencies {
  store: Store;
  /** Whether a schema is one, and safe to use; the problems with their places in it. */
  schemas: { check: (schemaText: string) => Promise<Issue[]> };
  ask: {
    testcases: Asks<typeof testcases>;
    systems: Asks<typeof systems>;
    metrics: Asks<typeof metrics>;
    'run-records': Asks<typeof runRecords>;
    scoring: Asks<typeof scoring>;
    traces: Asks<typeof traces>;
  };
  announce: Announcements<typeof catalog>;
  newId: () => string;
  now: () => Date;
}

type Operations = (typeof catalog)['operations'];
type TestsetBody = Request<Operations['createTestset']>['body'];
type TestsetChange = Request<Operations['updateTestset']>['body'];

export type Domain = ReturnType<typeof createDomain>;

/** The rules of projects and testsets (contract section 2). */
export function createDomain({ store, schemas, ask, announce, newId, now }: Dependencies) {
  /** So that they answer 404 at once, and not after the event. */
  async function forget(identity: Identity, projectId: string): Promise<void> {
    const owners = [ask.systems, ask.metrics, ask['run-records'], ask.scoring, ask.traces];
    await Promise.allSettled(owners.map((owner) => owner.forgetProject(identity, { projectId })));
  }

  /** Inside the transaction that deletes them. */
  async function announceDeletion(identity: Identity, projectId: string, testsetIds: string[]) {
    for (const testsetId of testsetIds)
      await announce.testsetDeleted(identity, { testsetId, projectId });
    await announce.projectDeleted(identity, { projectId });
  }

  async function projectOf({ organizationId }: Identity, id: string): Promise<Project> {
    const project = await store.findProject(organizationId, id);
    if (!project) throw notFound('project', id);
    return project;
  }

  async function testsetOf({ organizationId }: Identity, id: string): Promise<StoredTestset> {
    const testset = await store.findTestset(organizationId, id);
    if (!testset) throw notFound('testset', id);
    return testset;
  }

  async function checkSchema(jsonSchema: JsonText | undefined): Promise<void> {
    const problems = jsonSchema ? await schemas.check(jsonSchema.toString()) : [];
    if (problems.length > 0)
      throw invalid(problems.map(({ path, message }) => ({ path: `/jsonSchema${path}`, message })));
  }

  async function checkBaseline(identity: Identity, testsetId: string, runId: string) {
    const run = await ask['run-records'].run(identity, { runId });
    if (run.outcome === 'missing')
      throw invalidAt('/runId', 'does not belong to this organization');
    if (run.expiredAt !== undefined) throw runExpired(run.expiredAt);
    if (run.testsetId !== testsetId) throw invalidAt('/runId', 'is not a run of this testset');
  }

  return {
    imports: createImports({ store, announceDeletion, forget, newId, now }),
    projectPart: createProjectPart({ store, schemas }),
    names: createNames({ store, ask, projectOf }),
    views: createViews({ store, projectOf, newId, now }),
    async createProject({ organizationId }: Identity, body: Omit<Project, 'id'>): Promise<Project> {
      const project = { id: newId(), ...body };
      await store.createProject(organizationId, project);
      return project;
    },
    listProjects: ({ organizationId }: Identity, page: PageRequest) =>
      store.listProjects(organizationId, page),
    getProject: projectOf,
    async updateProject(
      { organizationId }: Identity,
      id: string,
      change: ProjectChange,
    ): Promise<Project> {
      const project = await store.updateProject(organizationId, id, change);
      if (!project) throw notFound('project', id);
      return project;
    },
    /** Besides announcing it, tells the services that keep parts of the project. */
    async deleteProject(identity: Identity, id: string) {
      await store.transaction(async () => {
        const { found, testsetIds } = await store.deleteProject(identity.organizationId, id);
        if (!found) throw notFound('project', id);
        await announceDeletion(identity, id, testsetIds);
      });
      await forget(identity, id);
      return { success: true as const };
    },

    async createTestset(
      identity: Identity,
      projectId: string,
      { jsonSchema, fieldMapping, ...body }: TestsetBody,
    ) {
      await projectOf(identity, projectId);
      checkMapping(fieldMapping);
      checkTagsField(body.tagsField, fieldMapping);
      await checkSchema(jsonSchema);
      const schema = describeSchema(jsonSchema);
      const mapping = completeMapping(fieldMapping, topLevelKeys(schema.schemaText));
      const testset = {
        id: newId(),
        projectId,
        ...body,
        ...schema,
        fieldMapping: mapping,
        version: 1,
        baselineRunId: null,
      };
      const created = await store.transaction(() =>
        store.createTestset(identity.organizationId, testset),
      );
      if (!created) throw notFound('project', projectId);
      return toReply(testset);
    },
    async listTestsets(
      identity: Identity,
      projectId: string,
      page: PageRequest,
    ): Promise<Page<ReturnType<typeof toReply>>> {
      await projectOf(identity, projectId);
      const { items, next } = await store.listTestsets(identity.organizationId, projectId, page);
      return { items: items.map(toReply), next };
    },
    async getTestset(identity: Identity, id: string) {
      return toReply(await testsetOf(identity, id));
    },
    async updateTestset(identity: Identity, id: string, change: TestsetChange) {
      if (change.fieldMapping) checkMapping(change.fieldMapping);
      await testsetOf(identity, id);
      await checkSchema(change.jsonSchema);
      return store.transaction(async () => {
        const changed = applyChange(await testsetOf(identity, id), change);
        await store.replaceTestset(identity.organizationId, changed);
        return toReply(changed);
      });
    },
    /** The baseline stays when its run is deleted: a comparison that would need it says so. */
    async setBaseline(identity: Identity, id: string, runId: string | null) {
      await testsetOf(identity, id);
      if (runId !== null) await checkBaseline(identity, id, runId);
      return store.transaction(async () => {
        const changed = { ...(await testsetOf(identity, id)), baselineRunId: runId };
        await store.replaceTestset(identity.organizationId, changed);
        return toReply(changed);
      });
    },
    async deleteTestset(identity: Identity, id: string) {
      await store.transaction(async () => {
        const testset = await store.deleteTestset(identity.organizationId, id);
        if (!testset) throw notFound('testset', id);
        await announce.testsetDeleted(identity, { testsetId: id, projectId: testset.projectId });
      });
      return { success: true as const };
    },
    /**
     * The testcases are copied first, under an id that nobody knows: a crash between leaves nothing
     * that can be seen.
     */
    async duplicateTestset(identity: Identity, id: string, name: string | undefined) {
      const original = await testsetOf(identity, id);
      const copy = {
        ...original,
        id: newId(),
        name: name ?? nameOfCopy(original.name),
        version: 1,
        // Its run is one of the other testset.
        baselineRunId: null,
      };
      try {
        await ask.testcases.copy(identity, { fromTestsetId: id, toTestsetId: copy.id });
        // Looked at again, since testcases that were deleted meanwhile are not in the copy.
        await store.transaction(async () => {
          await testsetOf(identity, id);
          if (!(await store.createTestset(identity.organizationId, copy)))
            throw notFound('testset', id);
        });
      } catch (error) {
        await store.transaction(() =>
          announce.testsetDeleted(identity, { testsetId: copy.id, projectId: copy.projectId }),
        );
        throw error;
      }
      return toReply(copy);
    },

    async isProject({ organizationId }: Identity, id: string) {
      const project = await store.findProject(organizationId, id);
      return { found: project !== undefined, traceRetentionDays: project?.traceRetentionDays };
    },
    async oldestProject({ organizationId }: Identity) {
      const { items } = await store.listProjects(organizationId, { limit: 1, after: undefined });
      return { projectId: items[0]?.id ?? null };
    },
    async testsetDefinition(
      { organizationId }: Identity,
      id: string,
      knownVersion: number | undefined,
    ) {
      const testset = await store.findTestset(organizationId, id);
      if (!testset) return { outcome: 'missing' as const };
      if (testset.version === knownVersion) return { outcome: 'unchanged' as const };
      const {
        name: _name,
        description: _description,
        baselineRunId: _baselineRunId,
        ...definition
      } = testset;
      return { outcome: 'found' as const, testset: definition };
    },
    /** Of the oldest testsets: a project rarely has more, and only warnings are made of them. */
    async testsetFields({ organizationId }: Identity, projectId: string) {
      const page = { limit: 100, after: undefined };
      const { items } = await store.listTestsets(organizationId, projectId, page);
      const of = (role: 'inputs' | 'expected') => [
        ...new Set(items.flatMap(({ fieldMapping }) => fieldMapping[role])),
      ];
      return {
        fields: items.length === 0 ? null : { inputs: of('inputs'), expected: of('expected') },
      };
    },
    async runRetention({ organizationId }: Identity, projectId: string | undefined) {
      return { projects: await store.listRunRetentions(organizationId, projectId) };
    },
    async baseline({ organizationId }: Identity, id: string) {
      const testset = await store.findTestset(organizationId, id);
      return { found: testset !== undefined, baselineRunId: testset?.baselineRunId ?? null };
    },
  };
}

const roles = ['inputs', 'expected', 'metadata'] as const;

/** A key has one role, and is listed once. */
export function checkMapping(mapping: FieldMapping): void {
  const seen = new Map<string, string>();
  const issues: Issue[] = [];
  for (const role of roles) {
    for (const [index, key] of mapping[role].entries()) {
      const before = seen.get(key);
      if (before !== undefined)
        issues.push({
          path: `/fieldMapping/${role}/${index}`,
          message: `"${key}" is listed under ${before} already`,
        });
      seen.set(key, role);
    }
  }
  if (issues.length > 0) throw invalid(issues);
}

/** Tags are metadata: no input, and nothing expected. */
function checkTagsField(tagsField: string | undefined, { inputs, expected }: FieldMapping): void {
  if (tagsField === undefined || ![...inputs, ...expected].includes(tagsField)) return;
  throw invalidAt(
    '/tagsField',
    `must be a field of the metadata: "${tagsField}" is an input or expected`,
  );
}

/**
 * At creation, schema keys that have no role become metadata, in schema order, after those that
 * were sent.
 */
export function completeMapping(mapping: FieldMapping, schemaKeys: string[]): FieldMapping {
  const mapped = new Set(roles.flatMap((role) => mapping[role]));
  return {
    ...mapping,
    metadata: [...mapping.metadata, ...schemaKeys.filter((key) => !mapped.has(key))],
  };
}

/**
 * A new schema without a mapping takes the keys that it no longer has out of the stored one, and
 * adds none.
 */
export function dropRemovedKeys(
  mapping: FieldMapping,
  keysBefore: string[],
  keysNow: string[],
): FieldMapping {
  const now = new Set(keysNow);
  const removed = new Set(keysBefore.filter((key) => !now.has(key)));
  const kept = (keys: string[]) => keys.filter((key) => !removed.has(key));
  return {
    inputs: kept(mapping.inputs),
    expected: kept(mapping.expected),
    metadata: kept(mapping.metadata),
  };
}

/** The five rules of a testset's PATCH. */
function applyChange(
  before: StoredTestset,
  { jsonSchema, fieldMapping, tagsField: sentTagsField, ...change }: TestsetChange,
): StoredTestset {
  const schema = jsonSchema ? describeSchema(jsonSchema) : undefined;
  const mapping =
    fieldMapping ??
    (schema
      ? dropRemovedKeys(
          before.fieldMapping,
          topLevelKeys(before.schemaText),
          topLevelKeys(schema.schemaText),
        )
      : before.fieldMapping);
  const tagsField = sentTagsField === undefined ? before.tagsField : (sentTagsField ?? undefined);
  checkTagsField(tagsField, mapping);
  const isRedefined =
    schema !== undefined || fieldMapping !== undefined || tagsField !== before.tagsField;
  return {
    ...before,
    ...change,
    ...schema,
    fieldMapping: mapping,
    tagsField,
    version: before.version + (isRedefined ? 1 : 0),
  };
}

const toReply = ({
  id,
  name,
  description,
  schemaText,
  fieldMapping,
  tagsField,
  baselineRunId,
}: StoredTestset) => ({
  id,
  name,
  description,
  jsonSchema: new JsonText(Buffer.from(schemaText)),
  fieldMapping,
  ...(tagsField === undefined ? {} : { tagsField }),
  baselineRunId,
});

/** A name has 256 characters at most, of which an emoji is one: a long one is cut. */
const nameOfCopy = (name: string): string =>
  `${[...name].slice(0, 256 - ' (copy)'.length).join('')} (copy)`;
