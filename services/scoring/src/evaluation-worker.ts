import '@assay/runtime/concurrency/low-priority';
import { evaluate, readDocuments, readPayload } from '@assay/evaluators/evaluate';
import { beginItem, beginTask, type Progress } from '@assay/runtime/concurrency/deadline-workers';
import type { EvaluationReply, Task } from './domain/evaluation.ts';

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

/** Makes scores on another thread, which may be ended at any moment. */
export default async function evaluateInWorker({
  scores,
  progress,
}: {
  scores: Task[];
  progress: Progress;
}): Promise<EvaluationReply[]> {
  beginTask(progress);
  const evaluated: EvaluationReply[] = [];
  for (const [index, { builtin, outputType, expected, outputs }] of scores.entries()) {
    beginItem(progress, index);
    const startedAt = performance.now();
    if (builtin.name === 'json_schema') {
      const read = readDocuments({
        builtin,
        outputType,
        outputs: readPayload(textOf(outputs), builtin),
      });
      const durationMs = performance.now() - startedAt;
      evaluated.push(
        'documents' in read
          ? { documents: read.documents.map((text) => Buffer.from(text)), durationMs }
          : { ...read, durationMs },
      );
      continue;
    }
    const evaluation = await evaluate({
      builtin,
      outputType,
      expected: readPayload(textOf(expected), builtin),
      outputs: readPayload(textOf(outputs), builtin),
      schemaChecker: none,
    });
    evaluated.push({ evaluation, durationMs: performance.now() - startedAt });
  }
  return evaluated;
}

/** Schemas are checked outside, by workers of their own. */
const none = {
  check: () => Promise.reject(new Error('no schema is checked here')),
  validate: () => Promise.reject(new Error('no schema is checked here')),
};
