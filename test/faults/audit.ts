import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readCollection } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { expect } from 'vitest';
import type { Call } from '../system/installation.ts';
import type { Cluster } from './cluster.ts';
import type { Ledger, Writers } from './writers.ts';

/** Compares all that was acknowledged with all that there is, and every account with a recount. */
export async function audit(
  { call, folder, config }: Cluster,
  { ledger, runIds, testsetId }: Writers,
): Promise<void> {
  const of = { uri: config.MONGODB_URI, prefix: config.DATABASE_PREFIX };
  for (const runId of runIds) await auditRun(call, ledger, runId);

  const testcases = await listAll(call, `/testsets/${testsetId}/testcases`);
  expect(
    sorted(testcases.map(({ jsonData, id }) => `${jsonData.question} ${id}`)),
    'the testcases',
  ).toEqual(sorted([...ledger.testcases].map(([number, id]) => `${number} ${id}`)));
  const { description, jsonSchema } = (await call('GET', `/testsets/${testsetId}`)).body;
  expect(
    [description, jsonSchema.properties?.question.minimum],
    'the schema that was set last',
  ).toEqual([String(ledger.schema), ledger.schema === 0 ? undefined : ledger.schema]);

  for (const [id, sha256] of ledger.attachments) {
    const { downloadUrl } = (await call('GET', `/attachments/${id}`)).body;
    const bytes = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex'), `the bytes of attachment ${id}`).toBe(
      sha256,
    );
  }
  await auditLeftovers(of, folder);
}

async function auditRun(call: Call, ledger: Ledger, runId: string): Promise<void> {
  const run = await poll('every score that the service makes is settled', async () => {
    const reply = await call('GET', `/runs/${runId}`).catch(() => undefined);
    return (
      reply?.status === 200 &&
      ['awaiting_human_scoring', 'completed'].includes(reply.body.status) &&
      reply.body
    );
  });
  const [builtIn, human] = run.metricVersionIds;
  const records = await listAll(call, `/runs/${runId}/records`);
  const failures = await listAll(call, `/runs/${runId}/failures`);
  expect(failures, 'scores that failed').toEqual([]);
  const expected = [...ledger.records].flatMap(([index, record]) =>
    record?.runId === runId ? [`${index} ${record.id}`] : [],
  );
  expect(
    sorted(records.map(({ inputs, id }) => `${inputs.index} ${id}`)),
    'records: those acknowledged, each once',
  ).toEqual(sorted(expected));

  let scored = 0;
  for (const { id, inputs, outputs, scores } of records) {
    const scoreOf = (version: string) =>
      scores.find(({ metricConfigId }: { metricConfigId: string }) => metricConfigId === version)
        ?.score;
    expect(outputs.answer, `record ${id}`).toBe(inputs.index % 3 === 0 ? 'a' : 'b');
    expect(scoreOf(human)?.binaryScore, `the score that was given to record ${id}`).toBe(
      ledger.scores.get(id),
    );
    expect(scoreOf(builtIn)?.binaryScore, `the score of record ${id}`).toBe(inputs.index % 3 === 0);
    scored += 1;
    if (ledger.scores.has(id)) scored += 1;
  }
  expect(
    { numRecords: run.numRecords, failed: run.scoring.failed, scored: run.scoring.scored },
    'counters equal a recount',
  ).toEqual({
    numRecords: records.length,
    failed: 0,
    scored,
  });
  expect(scored, 'each record has its own score').toBe(
    records.length + records.filter(({ id }) => ledger.scores.has(id)).length,
  );
}

/** What no client sees: nothing is there that nobody will ever remove. */
async function auditLeftovers(of: { uri: string; prefix: string }, folder: string): Promise<void> {
  const idsOf = async (service: string, collection: string) =>
    new Set(
      (await readCollection({ ...of, service, collection, projection: { _id: 1 } })).map(
        ({ _id }) => String(_id),
      ),
    );
  const [records, unfinished] = [
    await idsOf('run-records', 'records'),
    await idsOf('run-records', 'unfinished_payloads'),
  ];
  const chunked = [...(await idsOf('run-records', 'record_chunks'))].map((id) => id.split(':')[0]!);
  expect(
    chunked.filter((id) => !records.has(id) && !unfinished.has(id)),
    'payloads without a record, which the purge does not know of',
  ).toEqual([]);

  const contents = await idsOf('sessions', 'contents');
  const files = await readdir(join(folder, 'attachments'), {
    recursive: true,
    withFileTypes: true,
  });
  const kept = files.filter((file) => file.isFile() && !file.parentPath.endsWith('temporary'));
  const unknown = kept
    .map(({ parentPath, name }) => `${parentPath.split('/').at(-2)}/${name}`)
    .filter((id) => !contents.has(id));
  expect(unknown, 'files which the sweep does not know of').toEqual([]);
}

/** Every page of a list; what is away for a moment is asked again. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a list's items.
export async function listAll(call: Call, path: string): Promise<any[]> {
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  const items: any[] = [];
  for (let cursor = ''; ; ) {
    const page = await poll(`a page of ${path}`, async () => {
      const reply = await call(
        'GET',
        `${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      ).catch(() => undefined);
      if (reply && reply.status !== 503) expect(reply.status, reply.text).toBe(200);
      return reply?.status === 200 && reply.body;
    });
    items.push(...page.data);
    if (!page.hasMore) return items;
    cursor = page.nextCursor;
  }
}

const sorted = (texts: string[]): string[] => texts.toSorted();
