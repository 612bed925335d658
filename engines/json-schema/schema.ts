import {
  createOrganizationQueue,
  organizationContext,
} from '@assay/runtime/concurrency/organization-context';
import { createWorkers, type StoppedTask, type Workers } from '@assay/runtime/concurrency/workers';
import { LRUCache } from 'lru-cache';
import type { CheckTask, FoundProblems, ValidateTask } from './check-worker.ts';
import { schemaLimits } from './limits.ts';
import type { DocumentProblem, SchemaProblem } from './problem.ts';

export type { DocumentProblem, SchemaProblem } from './problem.ts';

export interface SchemaChecker {
  /**
   * Returns the problems of a schema, with places; none if it can be used. Rejects only when
   * workers cannot be run at all.
   */
  check(schemaText: string): Promise<SchemaProblem[]>;
  /**
   * Returns each document's (JSON text) problems with the schema, at most 100. `schemaHash` stands
   * for exactly this `schemaText`. A document or schema that cannot be checked in time has one
   * problem that says so. Rejects only when workers cannot be run at all.
   */
  validate(wanted: ValidateWanted): Promise<DocumentProblem[][]>;
  close(): Promise<void>;
}

export interface ValidateWanted {
  schemaText: string;
  schemaHash: string;
  documents: Document[];
}

type Document = Uint8Array | string;

const tooSlowToCompile = 'The schema takes too long to compile.';
const unchecked = (reason: string): DocumentProblem[] => [
  { path: '/data', message: `The data was not checked: ${reason}.`, isUnchecked: true },
];
const tooSlow = unchecked('the schema takes too long to check');
const tooLarge = unchecked('the schema takes too much memory to check');
const tooBig = unchecked(`it has more than ${schemaLimits.documentBytesMax} bytes`);

/**
 * Checks users' JSON Schemas, and documents against them, in worker threads that are killed after
 * `timeoutMs` of work. One organization may use `workers` of them at once; one more is for the
 * others. `workers` should be 2 or more: schemas that are long, or were slow before, never take the
 * last one of their organization. Of one that had a slow schema lately, new schemas count as slow
 * until they were quick once.
 */
export function createSchemaChecker({
  timeoutMs = 4000,
  workers: width = 2,
}: {
  timeoutMs?: number;
  workers?: number;
} = {}): SchemaChecker {
  const workers = createWorkers({
    module: import.meta.url,
    name: './check-worker',
    threads: width + 1,
    timeoutMs,
    heapMiBMax: schemaLimits.workerHeapMiBMax,
  });
  const withWorker = createOrganizationQueue({ permits: width + 1, permitsEach: width });
  const afterHeavyWork = createOrganizationQueue({
    permits: width,
    permitsEach: Math.max(1, width - 1),
  });
  const slow = createSlowSchemas();

  /** Work can become heavy while it waits: then it waits again, with the heavy. */
  async function inTurn<Result>({
    isHeavy,
    work,
  }: {
    isHeavy: () => boolean;
    work: () => Promise<Result>;
  }): Promise<Result> {
    const done = isHeavy()
      ? undefined
      : await withWorker(async () => (isHeavy() ? undefined : { result: await work() }));
    return done ? done.result : afterHeavyWork(() => withWorker(work));
  }

  async function check(schemaText: string): Promise<SchemaProblem[]> {
    // Beyond the cap the text need not even travel to the worker.
    if (schemaText.length > schemaLimits.schemaBytesMax) return [{ path: '', message: tooLong }];
    const isHeavy = () => isHeavySchema(schemaText);
    const task: CheckTask = { kind: 'check', schemaText };
    const outcome = await inTurn({
      isHeavy,
      work: () => workers.attempt<CheckTask, SchemaProblem[]>(task),
    });
    if ('result' in outcome) return outcome.result;
    const message =
      outcome.stopped === 'time'
        ? tooSlowToCompile
        : 'The schema takes too much memory to compile.';
    return [{ path: '', message }];
  }

  async function validate({
    schemaText,
    schemaHash,
    documents,
  }: ValidateWanted): Promise<DocumentProblem[][]> {
    const isSent = documents.map((document) => document.length <= schemaLimits.documentBytesMax);
    const batches = await Promise.all(
      cut(documents.filter((_document, position) => isSent[position])).map((batch) => {
        const isLarge =
          isHeavySchema(schemaText) || bytesOf(batch) > schemaLimits.lightDocumentBytesMax;
        const isHeavy = () => isLarge || slow.countsAsSlow(schemaHash);
        return inTurn({
          isHeavy,
          work: () =>
            validateBatch({ workers, slow, schemaText, schemaHash, timeoutMs, documents: batch }),
        });
      }),
    );
    const answers = batches.flat().values();
    return isSent.map((sent) => (sent ? answers.next().value! : tooBig));
  }

  return { check, validate, close: () => workers.close() };
}

const tooLong = `The schema is too long; at most ${schemaLimits.schemaBytesMax} bytes are allowed.`;

type Batch = ValidateWanted & {
  workers: Workers;
  slow: ReturnType<typeof createSlowSchemas>;
  timeoutMs: number;
};

// While several documents are in progress, each attempt gets half of the remaining time, so that
// documents not at fault can run again.
async function validateBatch(batch: Batch): Promise<DocumentProblem[][]> {
  const { workers, slow, schemaText, schemaHash, documents } = batch;
  let { timeoutMs } = batch;
  if (documents.length === 0) return [];
  if (timeoutMs < 50 || slow.compiling(schemaHash)) return documents.map(() => tooSlow);
  const attemptMs = documents.length > 1 ? timeoutMs / 2 : timeoutMs;
  const task: ValidateTask = { kind: 'validate', schemaText, schemaHash, ...pack(documents) };
  const outcome = await workers.attempt<ValidateTask, FoundProblems>(task, {
    timeoutMs: attemptMs,
    handedOver: ({ texts }) => [texts.buffer],
  });
  if ('result' in outcome) {
    slow.addQuick(schemaHash);
    const found = new Map(outcome.result);
    return documents.map((_document, position) => found.get(position) ?? []);
  }
  timeoutMs -= outcome.ranMs;
  slow.add({ schemaHash, outcome });
  return withoutCulprit({ batch: { ...batch, timeoutMs }, outcome });
}

/**
 * The documents one after another in memory that can be handed over: of parts of a request's body,
 * all of the body would be copied.
 */
function pack(documents: Document[]): { texts: Uint8Array<ArrayBuffer>; ends: number[] } {
  const bytes = documents.map((document) =>
    typeof document === 'string' ? Buffer.from(document) : document,
  );
  const texts = new Uint8Array(bytesOf(bytes));
  let end = 0;
  const ends = bytes.map((document) => {
    texts.set(document, end);
    end += document.length;
    return end;
  });
  return { texts, ends };
}

async function withoutCulprit({
  batch,
  outcome,
}: {
  batch: Batch;
  outcome: StoppedTask;
}): Promise<DocumentProblem[][]> {
  const { documents } = batch;
  const problem = outcome.stopped === 'time' ? tooSlow : tooLarge;
  const at = outcome.item;
  if (at < 0) return documents.map(() => problem);
  const before = await validateBatch({ ...batch, documents: documents.slice(0, at) });
  const after = await validateBatch({ ...batch, documents: documents.slice(at + 1) });
  return [...before, problem, ...after];
}

/** Schemas that are remembered as quick. */
const quickMax = 10_000;

/**
 * Schemas that were stopped lately. One that was stopped while it compiled is not compiled again
 * for a while. An organization that sent one can send a new one each time, so its schemas count as
 * slow until they were quick once.
 */
function createSlowSchemas() {
  const until = new Map<
    string,
    { endMs: number; compiling: boolean; organizationId: string | undefined }
  >();
  const quick = new LRUCache<string, true>({ max: quickMax });

  const forgetOld = () => {
    for (const [schemaHash, { endMs }] of until)
      if (endMs < performance.now()) until.delete(schemaHash);
  };

  return {
    add({ schemaHash, outcome }: { schemaHash: string; outcome: StoppedTask }): void {
      forgetOld();
      const organizationId = organizationContext()?.organizationId;
      until.set(schemaHash, {
        endMs: performance.now() + schemaLimits.slowSchemaMs,
        compiling: outcome.item < 0,
        organizationId,
      });
      quick.delete(schemaHash);
    },
    addQuick(schemaHash: string): void {
      quick.set(schemaHash, true);
    },
    countsAsSlow(schemaHash: string): boolean {
      forgetOld();
      if (until.has(schemaHash)) return true;
      const organizationId = organizationContext()?.organizationId;
      return (
        !quick.has(schemaHash) &&
        [...until.values()].some((slow) => slow.organizationId === organizationId)
      );
    },
    compiling(schemaHash: string): boolean {
      forgetOld();
      return until.get(schemaHash)?.compiling === true;
    },
  };
}

function isHeavySchema(schemaText: string): boolean {
  return schemaText.length > schemaLimits.lightSchemaBytesMax;
}

function bytesOf(documents: Document[]): number {
  return documents.reduce((sum, document) => sum + document.length, 0);
}

function cut(documents: Document[]): Document[][] {
  const batches: Document[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const document of documents) {
    if (bytes + document.length > schemaLimits.batchBytesMax) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(document);
    bytes += document.length;
  }
  return batches;
}
