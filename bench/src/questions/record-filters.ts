import { runRecords } from '@assay/contracts/run-records';
import { MongoClient } from 'mongodb';
import { sealedCursor } from '../cursor.ts';
import { createFoundRun, type FoundRun } from '../found-run.ts';
import { millisecondsText, type Row, rateText, say } from '../report.ts';
import { getOf, throughGateway } from '../requests.ts';
import { alternate, median, timeOf } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { timeRow } from '../sides.ts';

const connections = 4;
const durationMs = 500;
const pageItems = 50;
const searchRounds = 5;
const ratioMax = 1.3;

interface Side {
  measure: string;
  query: Record<string, string>;
  /** The value before the middle of the list; undefined for lists in the order of ids. */
  value?: boolean | number;
  /** The first page alone: there is nothing behind it. */
  isShort?: true;
  /** No index answers these filters, so that a page looks at more than it shows. */
  isLookedAt?: true;
}

/**
 * Question 11: pages by filters and in orders, the first and one from the middle of the run, against
 * the first page of the same run without any.
 */
export async function askRecordFilters(setting: Setting): Promise<Row[]> {
  const run = await createFoundRun(setting, setting.recordsCount);
  const middle = await middleOf(setting, run);
  const installation = await setting.installation();
  const get = (query: Record<string, string>, cursor?: string) => () => {
    const path = `/runs/${run.runId}/records?${new URLSearchParams({
      limit: `${pageItems}`,
      ...query,
      ...(cursor ? { cursor } : {}),
    })}`;
    return setting.generator.closedLoop({
      ...getOf(throughGateway(installation), path),
      connections,
      until: { durationMs },
    });
  };
  const sides = sidesOf(run);
  const rows: Row[] = [];
  for (const { measure, query, value, isShort, isLookedAt } of sides) {
    say(`  ${measure}`);
    const after = value === undefined ? middle : `${JSON.stringify(value)}/${middle}`;
    const cursor = await sealedCursor(setting, {
      operation: 'run-records.listRecords',
      list: runRecords.operations.listRecords,
      params: { runId: run.runId },
      query,
      after,
    });
    const measured = await alternate({
      baseline: get({}),
      first: get(query),
      ...(isShort ? {} : { deep: get(query, cursor) }),
    });
    const { baseline, first, deep } = measured as typeof measured & {
      deep?: typeof measured.first;
    };
    const row = {
      question: '11',
      baseline,
      figure: 'p50Ms' as const,
      ...(isLookedAt ? {} : { ratioMax }),
    };
    rows.push(timeRow({ ...row, measure, ours: first }));
    if (deep)
      rows.push(timeRow({ ...row, measure: '  the page from the middle of the run', ours: deep }));
  }
  return [...rows, ...(await askSearch(setting, run))];
}

function sidesOf({ booleanVersion, floatVersion, testcaseId, tag }: FoundRun): Side[] {
  const ofBoolean = { metricVersionId: booleanVersion };
  const ofFloat = { metricVersionId: floatVersion };
  return [
    { measure: 'newest first', query: { order: 'desc' } },
    { measure: 'pass of a boolean, a half', query: { ...ofBoolean, outcome: 'pass' } },
    { measure: 'pass of a float, a tenth', query: { ...ofFloat, outcome: 'pass' } },
    { measure: 'failed, one in 1,000', query: { ...ofBoolean, outcome: 'failed' } },
    { measure: 'a value of a float, one in 1,000', query: { ...ofFloat, value: '0.5' } },
    { measure: 'an assignee, one in 1,000', query: { assignee: 'bench' } },
    { measure: 'annotations, one in 1,000', query: { hasAnnotations: 'true' } },
    { measure: 'a testcase, 10 records', query: { testcaseId }, isShort: true },
    { measure: 'a tag, a tenth', query: { tags: tag } },
    { measure: 'by a float', query: { sort: `value:${floatVersion}` }, value: 0.5 },
    {
      measure: 'by a float, highest first',
      query: { order: 'desc', sort: `value:${floatVersion}` },
      value: 0.5,
    },
    { measure: 'by a boolean', query: { sort: `value:${booleanVersion}` }, value: false },
    {
      measure: 'what fails of a float, highest first',
      query: { ...ofFloat, outcome: 'fail', order: 'desc', sort: `value:${floatVersion}` },
      value: 0.5,
    },
    {
      measure: 'without index: a pass of a boolean and of a tag',
      query: { tags: tag, ...ofBoolean, outcome: 'pass' },
      isLookedAt: true,
    },
    {
      measure: 'without index: 0.99 or more of a float, one in 100',
      query: { ...ofFloat, min: '0.99' },
      isLookedAt: true,
    },
    {
      measure: 'without index: a tag, by a float',
      query: { tags: tag, sort: `value:${floatVersion}` },
      value: 0.5,
      isLookedAt: true,
    },
  ];
}

async function middleOf(setting: Setting, { runId, count }: FoundRun): Promise<string> {
  const { databaseOf, organizationId } = await setting.installation();
  const client = await MongoClient.connect((await setting.servers()).mongodbUri);
  const records = client.db(databaseOf('run-records')).collection<{ _id: string }>('records');
  const [middle] = await records
    .find({ organizationId, runId }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .skip(Math.floor(count / 2))
    .limit(1)
    .toArray();
  await client.close();
  return middle!._id;
}

/** A search that finds nothing looks in as many records as it can in its two seconds. */
async function askSearch(setting: Setting, { runId }: FoundRun): Promise<Row[]> {
  const { call } = await setting.installation();
  const rates: number[] = [];
  const times: number[] = [];
  for (let round = 0; round <= searchRounds; round++) {
    let searched = 0;
    const tookMs = await timeOf(async () => {
      const body = { text: 'nowhere to be found' };
      ({ searched } = await call('POST', `/runs/${runId}/records/search`, body));
    });
    if (round === 0) continue;
    times.push(tookMs);
    rates.push((searched / tookMs) * 1000);
  }
  return [
    {
      question: '11',
      measure: 'records of 1 KB that a search looks in',
      ours: rateText(median(rates)),
    },
    {
      question: '11',
      measure: '  until its page is answered',
      ours: millisecondsText(median(times)),
    },
  ];
}
