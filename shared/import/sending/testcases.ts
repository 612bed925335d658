import type { Client, LineReply } from '@assay/client/client';
import { splitLines } from '@assay/client/lines';
import type { Project, Testset } from '@assay/client/named';
import type { PathOptions } from '@assay/client/path';
import type { ImportMode } from '@assay/contracts/testcases';
import { writeJson } from '@assay/json/write';
import type { Entity, TestcaseEntity, TestsetEntity } from '../entity.ts';
import { ImportFailure } from '../failure.ts';
import { createBatches } from './batches.ts';
import type { ImportedTestset } from './report.ts';
import { rowKey } from './row-key.ts';

export interface TestsetTarget {
  ref: string;
  report: ImportedTestset;
}

interface OpenTestset extends TestsetTarget {
  ids: Map<string, string>;
  /** How often a row without a key has come. */
  repeats: Map<string, number>;
  add: (entity: TestcaseEntity) => Promise<void>;
  flush: () => Promise<void>;
}

interface KeyedTestcase {
  entity: TestcaseEntity;
  key: string | undefined;
}

const importPath = '/testsets/:testsetId/testcases/import';

/** Keys that one request looks for, and their characters in its address. */
const lookedMax = { keys: 100, characters: 8000 };

/** The testsets of an import, and their testcases on the way. */
export function createTestcases({
  client,
  project,
  read,
  mode = 'upsert',
  dryRun,
  lose,
}: {
  client: Client;
  project: Project | undefined;
  read: () => AsyncIterable<Entity>;
  mode: ImportMode | undefined;
  dryRun: boolean;
  lose: (reason: string) => void;
}) {
  const testsets = new Map<string, OpenTestset>();

  /** The key of a row that has none is made of its content, so that a repeat finds it again. */
  function keyOf({ key, jsonData }: TestcaseEntity, { repeats }: OpenTestset) {
    if (key !== undefined || mode === 'create') return key;
    const made = rowKey(JSON.stringify(jsonData));
    const count = (repeats.get(made) ?? 0) + 1;
    repeats.set(made, count);
    return count === 1 ? made : `${made}:${count}`;
  }

  function counted({ report, ids }: OpenTestset, { key }: KeyedTestcase, answer: LineReply): void {
    const { status, id, outcome, code, message, validationErrors } = answer;
    if (key !== undefined && id !== undefined) ids.set(key, id);
    if (status >= 400) {
      report.refused += 1;
      lose(`A testcase of "${report.name}" was refused: ${code}: ${message}`);
    } else if (outcome === 'updated') report.updated += 1;
    else if (outcome === 'unchanged') report.unchanged += 1;
    else report.created += 1;
    if (validationErrors) report.invalid += 1;
  }

  async function open(entity: TestsetEntity, known: Testset | undefined): Promise<void> {
    const { ref, name, description, jsonSchema, fieldMapping, tagsField } = entity;
    if (known) noteNewFields(entity, known, lose);
    const body = {
      name,
      description,
      jsonSchema,
      fieldMapping,
      ...(tagsField === undefined ? {} : { tagsField }),
    };
    const made =
      known || dryRun || !project
        ? known
        : await client.request('POST', '/projects/:projectId/testsets', {
            params: { projectId: project.id },
            body,
          });
    const report: ImportedTestset = {
      id: made?.id ?? null,
      name: known?.name ?? name,
      isNew: !known,
      ...{ created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0, invalid: 0 },
    };
    const testset: OpenTestset = {
      ref,
      report,
      ids: new Map(),
      repeats: new Map(),
      async add() {
        report.created += 1;
      },
      flush: async () => undefined,
    };
    testsets.set(ref, testset);
    if (!made) return;
    const target = {
      params: { testsetId: made.id },
      query: { mode, ...(dryRun ? { dryRun: 'true' as const } : {}) },
    };
    const lineOf = ({ entity: { jsonData }, key }: KeyedTestcase) =>
      writeJson({ jsonData, ...(key === undefined ? {} : { key }) });
    const answered = (item: KeyedTestcase, answer: LineReply) => counted(testset, item, answer);
    const keyed = (item: TestcaseEntity): KeyedTestcase => ({
      entity: item,
      key: keyOf(item, testset),
    });
    if (mode === 'sync') {
      testset.add = async () => undefined;
      testset.flush = () => sync({ target, lineOf, answered, keyed, testset });
    } else {
      const batches = createBatches<KeyedTestcase>({
        send: (lines, headers) =>
          client.sendLines('POST', importPath, lines, { ...target, headers }),
        isOnce: mode === 'create',
        lineOf,
        answered,
      });
      const partial = createPartial(testset, batches.add);
      testset.add = (item) =>
        known && mode === 'upsert' && item.isPartial && item.key !== undefined
          ? partial.add({ entity: item, key: item.key })
          : batches.add(keyed(item));
      testset.flush = async () => {
        await partial.flush();
        await batches.flush();
      };
    }
  }

  /** Adds those of partial testcases whose keys the testset does not have. */
  function createPartial(
    { report, ids }: OpenTestset,
    add: (item: KeyedTestcase) => Promise<void>,
  ) {
    let waiting: (KeyedTestcase & { key: string })[] = [];
    let characters = 0;
    async function flush(): Promise<void> {
      const looked = waiting;
      [waiting, characters] = [[], 0];
      if (looked.length === 0) return;
      const there = client.list('/testsets/:testsetId/testcases', {
        params: { testsetId: report.id! },
        query: { preview: 0, key: looked.map(({ key }) => key) },
      });
      for await (const { id, key } of there) {
        ids.set(key!, id);
        report.unchanged += 1;
      }
      for (const item of looked) if (!ids.has(item.key)) await add(item);
    }
    return {
      async add(item: KeyedTestcase & { key: string }): Promise<void> {
        waiting.push(item);
        characters += encodeURIComponent(item.key).length;
        if (waiting.length === lookedMax.keys || characters >= lookedMax.characters) await flush();
      },
      flush,
    };
  }

  /** Sends a testset in one request, since a sync deletes all that is not in it. */
  async function sync({
    target,
    lineOf,
    answered,
    keyed,
    testset,
  }: {
    target: PathOptions<'POST', typeof importPath>;
    lineOf: (item: KeyedTestcase) => string;
    answered: (item: KeyedTestcase, answer: LineReply) => void;
    keyed: (entity: TestcaseEntity) => KeyedTestcase;
    testset: OpenTestset;
  }): Promise<void> {
    const sent: KeyedTestcase[] = [];
    const encoder = new TextEncoder();
    async function* lines() {
      for await (const entity of read()) {
        if (entity.kind !== 'testcase' || entity.testset !== testset.ref) continue;
        const item = keyed(entity);
        sent.push(item);
        yield encoder.encode(`${lineOf(item)}\n`);
      }
    }
    const { body } = await client.open('POST', importPath, {
      ...target,
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines(),
    });
    let summary: { deleted: number; warning?: string } | undefined;
    for await (const line of splitLines(body!)) {
      if (line === '') continue;
      const answer = JSON.parse(line);
      if (answer.summary) ({ summary } = answer);
      else answered(sent[answer.index]!, answer);
    }
    if (!summary)
      throw new ImportFailure({}, 'The service ended the import early. Repeat the command.');
    testset.report.deleted = summary.deleted;
    if (summary.warning !== undefined) lose(summary.warning);
  }

  return {
    get targets(): TestsetTarget[] {
      return [...testsets.values()];
    },
    open,
    idOf: (ref: string): string | null => testsets.get(ref)?.report.id ?? null,
    testcaseIdOf: (ref: string, key: string): string | undefined => testsets.get(ref)?.ids.get(key),
    add: (entity: TestcaseEntity): Promise<void> => testsets.get(entity.testset)!.add(entity),
    async finish(): Promise<void> {
      for (const { flush } of testsets.values()) await flush();
    },
  };
}

/** A testset that is there keeps its schema. */
function noteNewFields(
  { fieldMapping }: TestsetEntity,
  known: Testset,
  lose: (reason: string) => void,
): void {
  const own = new Set(Object.values(known.fieldMapping).flat());
  const missing = Object.values(fieldMapping)
    .flat()
    .filter((field) => !own.has(field));
  if (missing.length > 0)
    lose(
      `The testset "${known.name}" is there already and has no field ${missing.map((field) => `"${field}"`).join(', ')}: the values are stored as metadata. Add the fields to its schema.`,
    );
}
