import { createHash } from 'node:crypto';
import type { catalog } from '@assay/contracts/catalog';
import type {
  Announcements,
  Asks,
  BytesReply,
  IdempotencyKey,
  Identity,
} from '@assay/contracts/define';
import { type Issue, invalid, notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { PreviewRequest } from '@assay/contracts/preview';
import { type testcases, testcasesReadMax } from '@assay/contracts/testcases';
import { usedWithAnotherBody } from '@assay/runtime/http/failures';
import { withPreviews } from '@assay/runtime/json/preview';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import { createDefinitions, type Definition } from './domain/definitions.ts';
import { deriveRoles } from './domain/derive.ts';
import { type ExportFormat, exportTestcases } from './domain/export.ts';
import { hasText, type TestcaseFilter } from './domain/filter.ts';
import { type ImportedBody, importTestcases } from './domain/import.ts';
import { importIds } from './domain/import-ids.ts';
import { metadataText } from './domain/metadata.ts';
import type { Store, StoredTestcase } from './store.ts';

interface Dependencies {
  store: Store;
  schemas: {
    /** Whether a schema is one, and safe to use; the problems with their places in it. */
    check: (schemaText: string) => Promise<Issue[]>;
    /** Validates documents (JSON text) against a schema: returns the problems of each document. */
    validate: (wanted: Schema & { documents: Uint8Array[] }) => Promise<Issue[][]>;
  };
  ask: { catalog: Asks<typeof catalog> };
  announce: Announcements<typeof testcases>;
  newId: () => string;
  now: () => Date;
}

interface Schema {
  schemaText: string;
  /** Stands for exactly this text. */
  schemaHash: string;
}

/** A testcase as its testset's current schema and mapping show it. */
interface ShownTestcase {
  id: string;
  testsetId: string;
  jsonData: JsonText;
  inputs: JsonText;
  expected: JsonText;
  validationErrors?: Issue[];
}

/** Testcases of a search or a check that are read at once. */
const batchItemsMax = 500;
/** Testcases that the reply to a check shows. */
const examplesMax = 10;

export type Domain = ReturnType<typeof createDomain>;

/** The rules of testcases (contract section 2). */
export function createDomain({ store, schemas, ask, announce, newId, now }: Dependencies) {
  const definitions = createDefinitions(ask.catalog);

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
    return stored.map(({ id, testsetId, jsonData }, index) => ({
      id,
      testsetId,
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

  /**
   * Reads as many testcases as one request may, batch by batch, oldest first: those that match, how
   * many were read, and the last of them if others follow.
   */
  async function* readSome(
    organizationId: string,
    testsetId: string,
    { matches, after }: { matches: (data: Uint8Array) => boolean; after: string | undefined },
  ) {
    let itemsLeft = testcasesReadMax;
    let bytesLeft = pageBytesMax;
    let last: string | null = after ?? null;
    do {
      const batch = await store.searchTestcases(organizationId, testsetId, {
        matches,
        after: last ?? undefined,
        itemsMax: Math.min(batchItemsMax, itemsLeft),
        bytesMax: bytesLeft,
      });
      yield batch;
      last = batch.next;
      itemsLeft -= batch.read;
      bytesLeft -= batch.bytes;
    } while (last !== null && itemsLeft > 0 && bytesLeft > 0);
  }

  async function listMatching(
    { organizationId }: Identity,
    definition: Definition,
    { filter: { text, isInvalid }, page }: { filter: TestcaseFilter; page: PageRequest },
  ): Promise<Page<ShownTestcase>> {
    const matches = text === undefined ? () => true : hasText(text);
    const found: ShownTestcase[] = [];
    let end: string | null = null;
    for await (const { items, next } of readSome(organizationId, definition.id, {
      matches,
      after: page.after,
    })) {
      for (const testcase of await show(definition, items)) {
        if (isInvalid && !testcase.validationErrors) continue;
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
    page: PageRequest,
  ): Promise<Page<ShownTestcase>> {
    const { items, next } = await store.listTestcases(organizationId, definition.id, page);
    return { items: await show(definition, items), next };
  }

  async function create(identity: Identity, definition: Definition, data: JsonText[]) {
    const items = data.map(({ bytes }) => ({
      id: newId(),
      testsetId: definition.id,
      jsonData: bytes,
    }));
    await store.createTestcases(identity.organizationId, items);
    return show(definition, items);
  }

  /** Checks the entries of an import, and stores nothing. */
  const checking = (identity: Identity, testsetId: string) => async (data: JsonText[]) => {
    const problems = await problemsOf(
      await definitionOf(identity, testsetId),
      data.map(({ bytes }) => bytes),
    );
    return problems.map(withProblems);
  };

  const keeping = (identity: Identity, testsetId: string) => async (data: JsonText[]) =>
    create(identity, await definitionOf(identity, testsetId), data);

  /**
   * Stores each entry of an import once, however often it comes: a repeat goes on where the first
   * was cut.
   */
  async function keepingOnce(identity: Identity, testsetId: string, key: string) {
    const nextId = importIds({
      key,
      startedAt: await store.startImport(identity.organizationId, key),
    });
    return async (data: JsonText[]) => {
      const definition = await definitionOf(identity, testsetId);
      const items = data.map(({ bytes }) => ({ id: nextId(), testsetId, jsonData: bytes }));
      if (!(await store.createMissingTestcases(identity.organizationId, items)))
        throw usedWithAnotherBody();
      return show(definition, items);
    };
  }

  return {
    async listTestcases(
      identity: Identity,
      testsetId: string,
      {
        previews,
        filter,
        page,
      }: { previews: PreviewRequest | undefined; filter: TestcaseFilter; page: PageRequest },
    ): Promise<Page<ShownTestcase>> {
      const definition = await definitionOf(identity, testsetId);
      const isFiltered = filter.text !== undefined || filter.isInvalid === true;
      const { items, next } = isFiltered
        ? await listMatching(identity, definition, { filter, page })
        : await listAll(identity, definition, page);
      const shown = [];
      for (const item of items)
        shown.push(await withPreviews(item, ['jsonData', 'inputs', 'expected'], previews));
      return { items: shown, next };
    },
    async createTestcases(identity: Identity, testsetId: string, items: { jsonData: JsonText }[]) {
      const definition = await definitionOf(identity, testsetId);
      const data = items.map(({ jsonData }) => jsonData);
      return { items: await create(identity, definition, data) };
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
    async updateTestcase(identity: Identity, id: string, jsonData: JsonText) {
      const { testcase, definition } = await testcaseOf(identity, id);
      if (!(await store.updateTestcase(identity.organizationId, id, jsonData.bytes)))
        throw notFound('testcase', id);
      return (await show(definition, [{ ...testcase, jsonData: jsonData.bytes }]))[0]!;
    },
    async deleteTestcases(identity: Identity, ids: string[]) {
      await store.transaction(async () => {
        const testcaseIds = await store.deleteTestcases(identity.organizationId, ids);
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

    /**
     * Each batch asks catalog anew: its testcases are validated against the current schema, and the
     * testset's deletion ends the import.
     */
    async importTestcases(
      identity: Identity,
      testsetId: string,
      body: ImportedBody,
      {
        isDryRun,
        idempotencyKey,
      }: { isDryRun: boolean; idempotencyKey: IdempotencyKey | undefined },
    ) {
      const { schemaText } = await definitionOf(identity, testsetId);
      const keep = isDryRun
        ? checking(identity, testsetId)
        : idempotencyKey
          ? await keepingOnce(identity, testsetId, idempotencyKey.id)
          : keeping(identity, testsetId);
      return importTestcases({ body, schemaText, keep });
    },
    async exportTestcases(identity: Identity, testsetId: string, format: ExportFormat) {
      const definition = await definitionOf(identity, testsetId);
      return exportTestcases({
        format,
        definition,
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
