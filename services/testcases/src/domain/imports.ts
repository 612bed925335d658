import type { Announcements, IdempotencyKey, Identity } from '@assay/contracts/define';
import { conflict, Failure, type Issue, invalidAt } from '@assay/contracts/failure';
import type { ImportMode, testcases } from '@assay/contracts/testcases';
import { usedWithAnotherBody } from '@assay/runtime/http/failures';
import type { Batch, EntryAnswer } from '@assay/runtime/uploads/pipeline';
import type { Change, Store, StoredTestcase, WrittenEntry } from '../store.ts';
import type { Definition } from './definitions.ts';
import type { ImportEntry } from './entry.ts';
import { type EntryKeeper, type ImportedBody, importTestcases } from './import.ts';
import { importIds } from './import-ids.ts';
import { createImportSummary, deletedExamplesMax } from './import-summary.ts';
import { keyTaken, repeatedKey } from './keys.ts';
import { isSameData } from './same-data.ts';
import { createSeenKeys, keyedEntriesMax } from './seen-entries.ts';

/** Testcases that a sync deletes in its one step, at most. */
const syncDeletionsMax = 200_000;
/** Of them, those that one event names. */
const announcedMax = 10_000;

interface Dependencies {
  store: Store;
  definitionOf: (identity: Identity, testsetId: string) => Promise<Definition>;
  problemsOf: (definition: Definition, documents: Uint8Array[]) => Promise<Issue[][]>;
  announce: Announcements<typeof testcases>;
  newId: () => string;
  /** Says who changes something now. */
  changeOf: (identity: Identity) => Change;
}

/** How the client wants its entries imported. */
export interface ImportOptions {
  /** Undefined where the client does not say: `create`, and no last line with a summary. */
  mode: ImportMode | undefined;
  isDryRun: boolean;
  isSummaryOnly: boolean;
  idempotencyKey: IdempotencyKey | undefined;
}

/** Stores the entries of a batch, or says what they would do. */
type Write = (testsetId: string, entries: StoredTestcase[]) => Promise<WrittenEntry[]>;

/** Imports of testcases (contract sections 2 and 4). */
export function createImports({
  store,
  definitionOf,
  problemsOf,
  announce,
  newId,
  changeOf,
}: Dependencies) {
  /** The writing of an import, and the ids of the testcases that it makes. */
  async function writerOf(
    identity: Identity,
    { mode = 'create', isDryRun, idempotencyKey }: ImportOptions,
    claim: (() => Promise<void>) | undefined,
  ): Promise<{ write: Write; nextId: () => string }> {
    const { organizationId } = identity;
    const isSame = mode === 'create' ? undefined : isSameData;
    if (isDryRun)
      return {
        nextId: newId,
        write: (testsetId, entries) =>
          store.planEntries(organizationId, testsetId, entries, isSame),
      };
    if (idempotencyKey && !isSame) {
      const key = idempotencyKey.id;
      const startedAt = await store.startImport(organizationId, key);
      return {
        nextId: importIds({ key, startedAt }),
        async write(testsetId, entries) {
          const written = await store.createMissingEntries(
            organizationId,
            testsetId,
            entries,
            changeOf(identity),
          );
          if (!written) throw usedWithAnotherBody();
          return written;
        },
      };
    }
    return {
      nextId: newId,
      write: (testsetId, entries) =>
        store.writeEntries(organizationId, testsetId, entries, {
          isSame,
          claim,
          change: changeOf(identity),
        }),
    };
  }

  /** Deletes the testcases that a sync's body does not have, in one step; or says which. */
  async function deleteOthers(
    identity: Identity,
    testsetId: string,
    { known, syncId }: { known: ReadonlySet<string>; syncId: string | undefined },
  ) {
    const { organizationId } = identity;
    await definitionOf(identity, testsetId);
    const ids = await store.otherIds(organizationId, testsetId, {
      known,
      idsMax: syncDeletionsMax,
    });
    if (!ids)
      throw conflict(
        `More than ${syncDeletionsMax.toLocaleString('en')} testcases are not in the body, and a sync deletes at most as many: delete others beforehand.`,
      );
    const keys = await store.keysOf(organizationId, ids.slice(0, deletedExamplesMax));
    const examples = ids.slice(0, deletedExamplesMax).map((id) => {
      const key = keys.get(id);
      return { id, ...(key === undefined ? {} : { key }) };
    });
    if (syncId === undefined) return { deleted: ids.length, examples };
    const deleted = await store.transaction(async () => {
      if (!(await store.endSync(organizationId, testsetId, syncId))) throw overtaken();
      let count = 0;
      for (let from = 0; from < ids.length; from += announcedMax) {
        const some = ids.slice(from, from + announcedMax);
        const testcaseIds = await store.deleteTestcases(organizationId, some, changeOf(identity));
        if (testcaseIds.length > 0) await announce.testcasesDeleted(identity, { testcaseIds });
        count += testcaseIds.length;
      }
      return count;
    });
    return { deleted, examples };
  }

  /** The stores, the checks and the counts of one import. */
  async function keeperOf(
    identity: Identity,
    testsetId: string,
    options: ImportOptions,
  ): Promise<EntryKeeper> {
    const { mode = 'create', isDryRun } = options;
    const { organizationId } = identity;
    const syncId = mode === 'sync' && !isDryRun ? newId() : undefined;
    async function claim(): Promise<void> {
      if (!(await store.claimSync(organizationId, testsetId, syncId!))) throw overtaken();
    }
    const { write, nextId } = await writerOf(identity, options, syncId ? claim : undefined);
    if (syncId) await store.beginSync(organizationId, testsetId, syncId);
    const summary = createImportSummary(mode);
    // The database knows the keys of entries that were created; those of a dry run are nowhere.
    const seen = mode !== 'create' || isDryRun ? createSeenKeys() : undefined;
    const known = new Set<string>();

    /** Why an entry cannot be stored in this mode. */
    function refusal({ key }: ImportEntry, index: number): Failure | undefined {
      if (key === undefined)
        return mode === 'create' ? undefined : invalidAt('/key', `is required with mode=${mode}`);
      const before = seen?.add(key, index);
      if (before !== undefined) return repeatedKey(before);
      if (seen && seen.size() > keyedEntriesMax)
        throw invalidAt(
          '',
          `must not have more than ${keyedEntriesMax.toLocaleString('en')} entries with keys`,
        );
      return undefined;
    }

    /** The answer to an entry that was stored, or would be. */
    function answerOf(
      { id, outcome }: WrittenEntry,
      { key, index, problems }: { key: string | undefined; index: number; problems: Issue[] },
    ): EntryAnswer {
      if (outcome === 'taken') return keyTaken({ testcaseId: id });
      summary.add(outcome, { index, key, isInvalid: problems.length > 0 });
      if (mode === 'sync') known.add(id);
      return {
        status: outcome === 'created' ? 201 : 200,
        ...(isDryRun ? {} : { id }),
        ...(options.mode === undefined ? {} : { outcome, ...(key === undefined ? {} : { key }) }),
        ...(problems.length > 0 ? { validationErrors: problems } : {}),
      };
    }

    async function keep({ from, entries }: Batch<ImportEntry>): Promise<EntryAnswer[]> {
      const definition = await definitionOf(identity, testsetId);
      const checked = entries.map((entry, at) =>
        entry instanceof Failure ? entry : (refusal(entry, from + at) ?? entry),
      );
      const right = checked.filter((entry): entry is ImportEntry => !(entry instanceof Failure));
      const stored = right.map(({ jsonData, key }) => ({
        id: nextId(),
        testsetId,
        key,
        jsonData: jsonData.bytes,
      }));
      const written = stored.length > 0 ? await write(testsetId, stored) : [];
      const problems =
        stored.length > 0
          ? await problemsOf(
              definition,
              stored.map(({ jsonData }) => jsonData),
            )
          : [];
      let next = 0;
      return checked.map((entry, at) => {
        const answer =
          entry instanceof Failure
            ? entry
            : answerOf(written[next]!, {
                key: entry.key,
                index: from + at,
                problems: problems[next++]!,
              });
        if (answer instanceof Failure) summary.addRefused();
        return answer;
      });
    }

    async function finish() {
      if (mode !== 'sync') return summary.line({ deleted: 0, examples: [] });
      if (summary.entries() === 0)
        throw invalidAt('', 'must have an entry: with mode=sync, none would delete all testcases');
      if (summary.refused() > 0) return summary.line({ deleted: 0, examples: [] });
      return summary.line(await deleteOthers(identity, testsetId, { known, syncId }));
    }

    const hasSummary = options.mode !== undefined || options.isSummaryOnly;
    return { keep, skip: summary.addSkipped, finish: hasSummary ? finish : undefined };
  }

  return {
    /**
     * Each batch asks catalog anew: its testcases are validated against the current schema, and the
     * testset's deletion ends the import.
     */
    async importTestcases(
      identity: Identity,
      testsetId: string,
      body: ImportedBody,
      options: ImportOptions,
    ) {
      const definition = await definitionOf(identity, testsetId);
      const keeper = await keeperOf(identity, testsetId, options);
      return importTestcases({ body, definition, keeper, isSummaryOnly: options.isSummaryOnly });
    },
  };
}

const overtaken = (): Failure =>
  conflict('Another sync of this testset has begun since: this one ends, and deletes nothing.');
