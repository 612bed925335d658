import { createHash } from 'node:crypto';
import type { catalog } from '@assay/contracts/catalog';
import type { Announcements, Asks, BytesReply, Identity } from '@assay/contracts/define';
import { type Issue, invalid, notFound } from '@assay/contracts/failure';
import type { identity } from '@assay/contracts/identity';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { PreviewRequest } from '@assay/contracts/preview';
import { type testcases, testcasesCountedMax } from '@assay/contracts/testcases';
import { withPreviews } from '@assay/runtime/json/preview';
import { createAnnotations } from './domain/annotations.ts';
import { createChanges } from './domain/changes.ts';
import { createCreationByKey } from './domain/creation-by-key.ts';
import { createDefinitions, type Definition } from './domain/definitions.ts';
import { deriveRoles } from './domain/derive.ts';
import { createDuplicates } from './domain/duplicates.ts';
import { type ExportFormat, exportTestcases } from './domain/export.ts';
import { isFiltered, matcherOf, type TestcaseFilter } from './domain/filter.ts';
import { createImports } from './domain/imports.ts';
import { keysTaken, keyTaken } from './domain/keys.ts';
import { metadataText } from './domain/metadata.ts';
import { createPart } from './domain/part.ts';
import { createTestcasePart } from './domain/project-part.ts';
import { createReadSome } from './domain/read-some.ts';
import { withRoomOnDisk } from './domain/room-on-disk.ts';
import type { ShownTestcase } from './domain/shown-testcase.ts';
import { createTagging } from './domain/tagging.ts';
import { createVersions } from './domain/versions.ts';
import type { Change, Store, StoredTestcase } from './store.ts';

interface Dependencies {
  store: Store;
  /** @throws SERVICE_UNAVAILABLE where the disk of the database is nearly full. */
  checkDisk: () => Promise<void>;
  schemas: {
    /** Whether a schema is one, and safe to use; the problems with their places in it. */
    check: (schemaText: string) => Promise<Issue[]>;
    /** Validates documents (JSON text) against a schema: returns the problems of each document. */
    validate: (wanted: Schema & { documents: Uint8Array[] }) => Promise<Issue[][]>;
  };
  ask: { catalog: Asks<typeof catalog>; identity: Asks<typeof identity> };
  announce: Announcements<typeof testcases>;
  newId: () => string;
  now: () => Date;
  /** Days that a deleted testcase can be restored. */
  deletedDays: number;
}

interface Schema {
  schemaText: string;
  /** Stands for exactly this text. */
  schemaHash: string;
}

/** Testcases that the reply to a check shows. */
const examplesMax = 10;

export type Domain = ReturnType<typeof createDomain>;

/** A page of testcases, with the number of all where it is told. */
type CountedPage = Page<ShownTestcase> & { total?: number };

/** The rules of testcases (contract section 2). */
export function createDomain({
  checkDisk,
  schemas,
  ask,
  announce,
  newId,
  now,
  deletedDays,
  ...given
}: Dependencies) {
  const store = withRoomOnDisk(given.store, checkDisk);
  const definitions = createDefinitions(ask.catalog);
  const readSome = createReadSome(store);

  async function definitionOf(identity: Identity, testsetId: string): Promise<Definition> {
    const definition = await definitions.find(identity, testsetId);
    if (!definition) throw notFound('testset', testsetId);
    return definition;
  }

  /**
   * A testcase with the definition of its testset; one whose testset was deleted is gone with it.
   */
  async function testcaseOf(
    identity: Identity,
    id: string,
  ): Promise<{ testcase: StoredTestcase; definition: Definition }> {
    const testcase = await store.findTestcase(identity.organizationId, id);
    const definition = testcase && (await definitions.find(identity, testcase.testsetId));
    if (!definition) throw notFound('testcase', id);
    return { testcase, definition };
  }

  /** Testcases as the testset's current schema and mapping show them. */
  async function show(definition: Definition, stored: StoredTestcase[]): Promise<ShownTestcase[]> {
    const problems = await problemsOf(
      definition,
      stored.map(({ jsonData }) => jsonData),
    );
    return stored.map(({ id, testsetId, key, jsonData }, index) => ({
      id,
      testsetId,
      ...(key === undefined ? {} : { key }),
      jsonData: new JsonText(jsonData),
      ...deriveRoles(jsonData, definition),
      ...withProblems(problems[index]!),
    }));
  }

  async function problemsOf(
    { schemaText, schemaHash }: Schema,
    documents: Uint8Array[],
  ): Promise<Issue[][]> {
    const problems = await schemas.validate({ schemaText, schemaHash, documents });
    return problems.map((each) => each.map(({ path, message }) => ({ path, message })));
  }

  /** The number of testcases by their first page; undefined where there are too many to count. */
  async function totalOf(
    { organizationId }: Identity,
    testsetId: string,
    { items, next }: Page<ShownTestcase>,
  ): Promise<number | undefined> {
    if (next === null) return items.length;
    const max = testcasesCountedMax + 1;
    const total = await store.countTestcases(organizationId, testsetId, { max });
    return total < max ? total : undefined;
  }

  async function listMatching(
    { organizationId }: Identity,
    definition: Definition,
    { filter, ids, page }: { filter: TestcaseFilter; ids: string[] | undefined; page: PageRequest },
  ): Promise<Page<ShownTestcase>> {
    const matches = matcherOf(filter);
    const found: ShownTestcase[] = [];
    let end: string | null = null;
    for await (const { items, next } of readSome(organizationId, definition.id, {
      matches,
      ids,
      after: page.after,
    })) {
      for (const testcase of await show(definition, items)) {
        if (filter.isInvalid && !testcase.validationErrors) continue;
        if (found.length === page.limit) return { items: found, next: found.at(-1)!.id };
        found.push(testcase);
      }
      end = next;
      if (found.length === page.limit) break;
    }
    return { items: found, next: end };
  }

  async function listAll(
    { organizationId }: Identity,
    definition: Definition,
    page: PageRequest & { ids: string[] | undefined },
  ): Promise<Page<ShownTestcase>> {
    const { items, next } = await store.listTestcases(organizationId, definition.id, page);
    return { items: await show(definition, items), next };
  }

  /** @throws CONFLICT with each item whose key another testcase, or another item, has */
  async function create(
    identity: Identity,
    definition: Definition,
    items: { jsonData: JsonText; key?: string | undefined }[],
  ) {
    const stored = items.map(({ jsonData, key }) => ({
      id: newId(),
      testsetId: definition.id,
      key,
      jsonData: jsonData.bytes,
    }));
    const written = await store.writeEntries(identity.organizationId, definition.id, stored, {
      isAllOrNone: true,
      change: changeOf(identity),
    });
    const own = new Set(stored.map(({ id }) => id));
    const taken = written.flatMap(({ id, outcome }, at) =>
      outcome === 'taken' ? [{ at, testcaseId: own.has(id) ? undefined : id }] : [],
    );
    if (taken.length > 0) throw keysTaken(taken);
    return show(definition, stored);
  }

  const changeOf = ({ userId }: Identity): Change => ({ userId, at: now() });
  const { importTestcases } = createImports({
    store,
    definitionOf,
    problemsOf,
    announce,
    newId,
    changeOf,
  });

  return {
    annotations: createAnnotations({ store, ask, definitions, testcaseOf, newId, now }),
    testcasePart: createTestcasePart({ store, changeOf }),
    ...createPart({ store, readSome }),
    ...createCreationByKey({ store, definitionOf, show, newId, changeOf }),
    ...createChanges({ store, definitionOf, now }),
    ...createDuplicates({ store, definitionOf }),
    ...createTagging({ store, definitionOf, changeOf }),
    ...createVersions({
      store,
      definitions,
      changeOf,
      deletedDays,
      show: async (definition, testcase) => (await show(definition, [testcase]))[0]!,
    }),
    async listTestcases(
      identity: Identity,
      testsetId: string,
      {
        previews,
        filter,
        page,
      }: { previews: PreviewRequest | undefined; filter: TestcaseFilter; page: PageRequest },
    ): Promise<CountedPage> {
      const definition = await definitionOf(identity, testsetId);
      const ids =
        filter.keys && (await store.idsOfKeys(identity.organizationId, testsetId, filter.keys));
      const { items, next } = isFiltered(filter)
        ? await listMatching(identity, definition, { filter, ids, page })
        : await listAll(identity, definition, { ...page, ids });
      const shown = [];
      for (const item of items)
        shown.push(await withPreviews(item, ['jsonData', 'inputs', 'expected'], previews));
      const isWhole = !isFiltered(filter) && ids === undefined && page.after === undefined;
      const total = isWhole ? await totalOf(identity, testsetId, { items, next }) : undefined;
      return { items: shown, next, ...(total === undefined ? {} : { total }) };
    },
    async createTestcases(
      identity: Identity,
      testsetId: string,
      items: { jsonData: JsonText; key?: string | undefined }[],
    ) {
      const definition = await definitionOf(identity, testsetId);
      return { items: await create(identity, definition, items) };
    },
    async getTestcase(identity: Identity, id: string) {
      const { testcase, definition } = await testcaseOf(identity, id);
      return (await show(definition, [testcase]))[0]!;
    },
    /** A testcase's data as the bytes that were sent; a hash names them, because a PUT changes them. */
    async getTestcaseData(
      identity: Identity,
      id: string,
      { isDownload }: { isDownload: boolean },
    ): Promise<BytesReply> {
      const { jsonData } = (await testcaseOf(identity, id)).testcase;
      return {
        contentType: 'application/json',
        byteLength: jsonData.length,
        etag: createHash('sha256').update(jsonData).digest('base64url'),
        filename: isDownload ? `testcase-${id}.json` : undefined,
        async *read(from, to) {
          yield jsonData.subarray(from, to);
        },
      };
    },
    /** Without a key, the testcase keeps the one that it has; null takes it away. */
    async updateTestcase(
      identity: Identity,
      id: string,
      { jsonData, key }: { jsonData: JsonText; key?: string | null | undefined },
    ) {
      const { testcase, definition } = await testcaseOf(identity, id);
      const change = { jsonData: jsonData.bytes, key };
      const outcome = await store.updateTestcase(
        identity.organizationId,
        id,
        change,
        changeOf(identity),
      );
      if (outcome === 'missing') throw notFound('testcase', id);
      if (outcome === 'taken') throw keyTaken();
      const updated = {
        ...testcase,
        jsonData: jsonData.bytes,
        key: key === undefined ? testcase.key : (key ?? undefined),
      };
      return (await show(definition, [updated]))[0]!;
    },
    async deleteTestcases(identity: Identity, ids: string[]) {
      await store.transaction(async () => {
        const testcaseIds = await store.deleteTestcases(
          identity.organizationId,
          ids,
          changeOf(identity),
        );
        if (testcaseIds.length > 0) await announce.testcasesDeleted(identity, { testcaseIds });
      });
      return { success: true as const };
    },

    /** Counts the testcases that another schema would make invalid, of those that one request reads. */
    async checkTestcases(
      identity: Identity,
      testsetId: string,
      { jsonSchema, after }: { jsonSchema: JsonText; after?: string | undefined },
    ) {
      const current = await definitionOf(identity, testsetId);
      const schema = describeSchema(jsonSchema);
      const faults = await schemas.check(schema.schemaText);
      if (faults.length > 0)
        throw invalid(faults.map(({ path, message }) => ({ path: `/jsonSchema${path}`, message })));
      const found = { checked: 0, invalid: 0, newlyInvalid: 0, next: null as string | null };
      const examples: { testcaseId: string; validationErrors: Issue[] }[] = [];
      for await (const { items, read, next } of readSome(identity.organizationId, testsetId, {
        matches: () => true,
        after,
      })) {
        const problems = await problemsOf(
          schema,
          items.map(({ jsonData }) => jsonData),
        );
        const broken = items.flatMap(({ id, jsonData }, index) =>
          problems[index]!.length > 0 ? [{ id, jsonData, problems: problems[index]! }] : [],
        );
        const before = await problemsOf(
          current,
          broken.map(({ jsonData }) => jsonData),
        );
        const newlyBroken = broken.filter((_testcase, index) => before[index]!.length === 0);
        for (const { id, problems } of newlyBroken.slice(0, examplesMax - examples.length))
          examples.push({ testcaseId: id, validationErrors: problems });
        found.checked += read;
        found.invalid += broken.length;
        found.newlyInvalid += newlyBroken.length;
        found.next = next;
      }
      return { ...found, examples };
    },

    importTestcases,
    async exportTestcases(identity: Identity, testsetId: string, format: ExportFormat) {
      const definition = await definitionOf(identity, testsetId);
      return exportTestcases({
        format,
        definition,
        hasKeys: await store.hasKeys(identity.organizationId, testsetId),
        testcases: store.readTestcases(identity.organizationId, testsetId),
      });
    },

    async countTestcases({ organizationId }: Identity, testsetId: string) {
      return { count: await store.countTestcases(organizationId, testsetId) };
    },
    async existingTestcases({ organizationId }: Identity, testsetId: string | null, ids: string[]) {
      return { ids: await store.existingTestcases(organizationId, testsetId, ids) };
    },
    /** Nothing of a testset that was deleted, and of ids that are none of its testcases. */
    async metadataAt(
      identity: Identity,
      testsetId: string,
      { ids, pointer }: { ids: string[]; pointer: string },
    ) {
      const definition = await definitions.find(identity, testsetId);
      const values: { id: string; value: string | null }[] = [];
      if (!definition) return { values };
      for await (const { id, jsonData } of store.readTestcases(
        identity.organizationId,
        testsetId,
        ids,
      ))
        values.push({ id, value: metadataText(jsonData, definition, pointer) });
      return { values };
    },
    /** Nobody sees them any more without their testset; they are removed in the background. */
    async forgetTestset({ organizationId }: Identity, testsetId: string): Promise<void> {
      await store.markDeletedTestset(organizationId, testsetId, now());
    },
    async copyTestcases({ organizationId }: Identity, fromTestsetId: string, toTestsetId: string) {
      return {
        count: await store.copyTestcases(organizationId, fromTestsetId, toTestsetId, newId),
      };
    },
  };
}

/** The errors of a testcase; without a member where there are none. */
const withProblems = (validationErrors: Issue[]): { validationErrors?: Issue[] } =>
  validationErrors.length > 0 ? { validationErrors } : {};

function describeSchema(jsonSchema: JsonText): Schema {
  const schemaText = jsonSchema.toString();
  return { schemaText, schemaHash: createHash('sha256').update(schemaText).digest('base64url') };
}
