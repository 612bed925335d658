import type { LineReply } from '@assay/client/client';
import { outputsOf } from '@assay/import/outputs';
import { createBatches, type SendLines } from '@assay/import/sending/batches';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { connectionFault, request, send, urlOf } from '../../api/request.ts';
import type { Matching } from './match-answers.ts';
import { partOf } from './part-of.ts';

/** A run that is made of a column of answers. */
export interface PlannedRun {
  column: string;
  name: string;
  answers: Matching['matched'];
}

/** A run on its way. It is kept between two tries, so that the second goes on where the first ended. */
export interface StoredRun extends PlannedRun {
  /** Undefined before it is made. */
  id?: string;
  /** Answers that were replied to, in their order, and how many of them were refused. */
  answered: number;
  refused: number;
  /** Why the first of them was. */
  refusal?: string;
}

export interface StoringOptions {
  projectId: string;
  testsetId: string;
  testcases: number;
  metricIds: string[];
  /** The data of the testcases that are answered; all of the testset where it is undefined. */
  where: string | undefined;
  /** Of this storing: a repeat makes no second run. */
  key: string;
  signal: AbortSignal;
  onProgress: () => void;
}

/** Makes runs, and sends their records. A repeat with the same runs stores nothing twice. @throws ApiError */
export async function storeRuns(runs: StoredRun[], options: StoringOptions): Promise<void> {
  for (const [index, run] of runs.entries()) {
    run.id ??= await createRun(run, `${options.key}-${index}`, options);
    await sendAnswers(run, run.id, options);
  }
}

async function createRun(
  { name, answers }: StoredRun,
  key: string,
  { projectId, testsetId, testcases, metricIds, where, signal }: StoringOptions,
): Promise<string> {
  const { id } = await request('POST', '/projects/:projectId/runs', {
    params: { projectId },
    headers: { 'idempotency-key': key },
    body: {
      name,
      testsetId,
      metricIds,
      // Else it would wait for the others.
      ...(answers.length < testcases ? { numTestcases: answers.length } : partOf(where)),
    },
    signal,
  });
  return id;
}

async function sendAnswers(
  run: StoredRun,
  runId: string,
  { signal, onProgress }: StoringOptions,
): Promise<void> {
  const batches = createBatches<Matching['matched'][number]>({
    send: sendTo(runId, signal),
    lineOf: ({ row, testcase }) =>
      writeJson({
        // A testcase has one record in the run, however often it is sent.
        clientId: `answer:${testcase.id}`,
        testcaseId: testcase.id,
        inputs: testcase.inputs,
        expected: testcase.expected,
        outputs: outputsOf(row.values.get(run.column)),
      }),
    answered: (_answer, { status, code, message }) => {
      run.answered += 1;
      if (status < 400) return;
      run.refused += 1;
      run.refusal ??= `${code}: ${message}`;
    },
  });
  let told = run.answered;
  for (const answer of run.answers.slice(run.answered)) {
    await batches.add(answer);
    if (run.answered === told) continue;
    told = run.answered;
    onProgress();
  }
  await batches.flush();
  onProgress();
}

const sendTo =
  (runId: string, signal: AbortSignal): SendLines =>
  async (lines, headers) => {
    const response = await send(urlOf('/runs/:runId/records/bulk', { params: { runId } }), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
      signal,
    });
    const text = await response.text().catch(connectionFault);
    return text
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [parseByValue(line) as LineReply]));
  };
