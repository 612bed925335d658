import { createHash } from 'node:crypto';
import type { catalog } from '@assay/contracts/catalog';
import type {
  Announcements,
  Asks,
  BytesReply,
  IdempotencyKey,
  Identity,
} from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { PreviewRequest } from '@assay/contracts/preview';
import type { testcases } from '@assay/contracts/testcases';
import { usedWithAnotherBody } from '@assay/runtime/http/failures';
import { withPreviews } from '@assay/runtime/json/preview';
import { createDefinitions, type Definition } from './domain/definitions.ts';
import { deriveRoles } from './domain/derive.ts';
import { type ExportFormat, exportTestcases } from './domain/export.ts';
import { type ImportedBody, importTestcases } from './domain/import.ts';
import { importIds } from './domain/import-ids.ts';
import { metadataText } from './domain/metadata.ts';
import type { Store, StoredTestcase } from './store.ts';

interface Dependencies {
  store: Store;
  /** Validates documents (JSON text) against a schema: returns the problems of each document. */
  schemas: {
    validate: (wanted: {
      schemaText: string;
      schemaHash: string;
      documents: Uint8Array[];
    }) => Promise<{ path: string; message: string }[][]>;
  };
  ask: { catalog: Asks<typeof catalog> };
  announce: Announcements<typeof testcases>;
  newId: () => string;
  now: () => Date;
}

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
  async function show(definition: Definition, stored: StoredTestcase[]) {
    const { schemaText, schemaHash } = definition;
    const problems = await schemas.validate({
      schemaText,
      schemaHash,
      documents: stored.map(({ jsonData }) => jsonData),
    });
    return stored.map(({ id, testsetId, jsonData }, index) => ({
      id,
      testsetId,
      jsonData: new JsonText(jsonData),
      ...deriveRoles(jsonData, definition),
      ...(problems[index]!.length > 0
        ? { validationErrors: problems[index]!.map(({ path, message }) => ({ path, message })) }
        : {}),
    }));
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
      { previews, page }: { previews: PreviewRequest | undefined; page: PageRequest },
    ): Promise<Page<Awaited<ReturnType<typeof show>>[number]>> {
      const definition = await definitionOf(identity, testsetId);
      const { items, next } = await store.listTestcases(identity.organizationId, testsetId, page);
      const shown = [];
      for (const item of await show(definition, items))
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

    /**
     * Each batch asks catalog anew: its testcases are validated against the current schema, and the
     * testset's deletion ends the import.
     */
    async importTestcases(
      identity: Identity,
      testsetId: string,
      body: ImportedBody,
      idempotencyKey: IdempotencyKey | undefined,
    ) {
      const { schemaText } = await definitionOf(identity, testsetId);
      const keep = idempotencyKey
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
