import type { Identity } from '@assay/contracts/define';
import { Failure, invalidAt } from '@assay/contracts/failure';
import {
  batchBytesMax,
  batchLinesMax,
  type LineKind,
  lineSchemas,
} from '@assay/contracts/project-file';
import { compileSerializer } from '@assay/runtime/http/serialize';
import type { Owners } from './dependencies.ts';
import { atLines } from './read-line.ts';

/** The services that store lines. */
export type BatchOwner =
  | 'catalog'
  | 'testcases'
  | 'systems'
  | 'metrics'
  | 'runRecords'
  | 'scoring'
  | 'traces';

interface Batch {
  owner: BatchOwner;
  parts: Buffer[];
  bytes: number;
  lines: number;
  /** The numbers of its first line and of its last in the file. */
  first: number;
  last: number;
  ids: Set<string>;
  /** The answer once it is stored. */
  answers: string;
}

const serializers = Object.fromEntries(
  Object.entries(lineSchemas).map(([kind, schema]) => [kind, compileSerializer(schema)]),
) as Record<LineKind, ReturnType<typeof compileSerializer>>;

/**
 * Sends lines to their services in batches, in order: one batch is stored while the next is read.
 * `isDry`: nothing is sent.
 */
export function createBatches({
  owners,
  identity,
  projectId,
  isDry,
}: {
  owners: Owners;
  identity: Identity;
  projectId: string;
  isDry: boolean;
}) {
  const restore = {
    catalog: owners.catalog.restoreCatalogPart,
    testcases: owners.testcases.restoreTestcasesPart,
    systems: owners.systems.restoreSystemsPart,
    metrics: owners.metrics.restoreMetricsPart,
    runRecords: owners.runRecords.restoreRunRecordsPart,
    scoring: owners.scoring.restoreScoringPart,
    traces: owners.traces.restoreTracesPart,
  };
  let batch: Batch | undefined;
  let underWay: Promise<string> = Promise.resolve('');

  async function store({ owner, parts, answers, first, last }: Batch): Promise<string> {
    if (isDry) return answers;
    try {
      await restore[owner](identity, { query: { projectId }, bytes: Buffer.concat(parts) });
    } catch (error) {
      throw error instanceof Failure ? atLines(error, first, last) : error;
    }
    return answers;
  }

  /** Sends the batch that was read, once the one before it is stored: the answers of that one. */
  async function send(): Promise<string> {
    const answers = await underWay;
    underWay = batch ? store(batch) : Promise.resolve('');
    // It is awaited with the next batch.
    underWay.catch(() => undefined);
    batch = undefined;
    return answers;
  }

  return {
    /** Takes the line of this number. Returns the answers to those that were stored meanwhile. */
    async add(
      owner: BatchOwner,
      line: { kind: string; id?: string },
      { number, said }: { number: number; said: string },
    ): Promise<string> {
      const parts = serializers[line.kind as LineKind](line).map((part) =>
        Buffer.from(part as Uint8Array),
      );
      const bytes = parts.reduce((sum, part) => sum + part.length, 1);
      const isFull =
        batch !== undefined &&
        (batch.owner !== owner ||
          batch.lines === batchLinesMax ||
          batch.bytes + bytes > batchBytesMax);
      const ready = isFull ? await send() : '';
      batch ??= emptyBatch(owner, number);
      if (line.id !== undefined) {
        const name = `${line.kind} ${line.id}`;
        if (batch.ids.has(name)) throw invalidAt('/id', 'is the id of an earlier line, too');
        batch.ids.add(name);
      }
      batch.parts.push(...parts, Buffer.from('\n'));
      batch.bytes += bytes;
      batch.lines += 1;
      batch.last = number;
      batch.answers += said;
      return ready;
    },
    /** Stores all that was taken. */
    async flush(): Promise<string> {
      const before = await send();
      return before + (await send());
    },
    /** Resolves when nothing is being stored any more. */
    settle: () => underWay.then(nothing, nothing),
  };
}

const emptyBatch = (owner: BatchOwner, first: number): Batch => ({
  owner,
  parts: [],
  bytes: 0,
  lines: 0,
  first,
  last: first,
  ids: new Set(),
  answers: '',
});

const nothing = (): void => undefined;
