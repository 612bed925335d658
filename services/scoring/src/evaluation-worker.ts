import { evaluate, readDocuments, readOptions, readPayload } from '@assay/evaluators/evaluate';
import { guardItem } from '@assay/runtime/concurrency/guard-item';
import { workerTask } from '@assay/runtime/concurrency/worker-task';
import type { EvaluationReply, Task } from './domain/evaluation.ts';

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

/** Makes scores on another thread, which may be ended at any moment. */
export default workerTask(async ({ scores }: { scores: Task[] }, atItem) => {
  const evaluated: EvaluationReply[] = [];
  for (const [index, score] of scores.entries()) {
    atItem(index);
    const guarded = await guardItem(() => evaluateScore(score));
    evaluated.push('result' in guarded ? guarded.result : guarded);
  }
  return evaluated;
});

async function evaluateScore({
  evaluator: name,
  options,
  outputType,
  expected,
  outputs,
}: Task): Promise<EvaluationReply> {
  const startedAt = performance.now();
  const builtin = { name, options: readOptions(options) };
  if (builtin.name === 'json_schema') {
    const read = readDocuments({ builtin, outputType, outputs });
    return { ...read, durationMs: performance.now() - startedAt };
  }
  const evaluation = await evaluate({
    builtin,
    outputType,
    expected: readPayload(textOf(expected), builtin),
    outputs: readPayload(textOf(outputs), builtin),
    schemaChecker: none,
  });
  return { evaluation, durationMs: performance.now() - startedAt };
}

/** Schemas are checked outside, by workers of their own. */
const none = {
  check: () => Promise.reject(new Error('no schema is checked here')),
  validate: () => Promise.reject(new Error('no schema is checked here')),
};
