import { listKey, sealCursor } from '@assay/runtime/http/cursor';
import { ownKeys } from '@assay/runtime/signature';
import { MongoClient } from 'mongodb';
import { commonTag, createLargeRun, createRare, rareTag } from '../large-run.ts';
import { createRun } from '../records.ts';
import type { Row } from '../report.ts';
import { getOf, throughGateway } from '../requests.ts';
import { alternate } from '../rounds.ts';
import type { Installation, Setting } from '../setting.ts';
import { timeRow } from '../sides.ts';

/** Few: the question is how long a page takes, not how long it waits. */
const connections = 4;
const durationMs = 750;
const pageItems = 50;
const deepPages = 10_000;

/**
 * Question 4: pages far into a list and of few tagged records against the first one, and a run of a
 * million records against one of ten.
 */
export async function askDepth(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call } = installation;
  const { runId: large } = await setting.shared(createLargeRun);
  const small = await createRun(call);
  await createRare(setting, small, 10);

  const first = `/runs/${large}/records?limit=${pageItems}`;
  const [before, ...ids] = await idsFrom(setting, large, pageItems * deepPages - 1);
  const deep = `${first}&cursor=${cursorAfter(setting, installation, large, before!)}`;
  await checkPage(installation, deep, ids);
  const get = (path: string) => () =>
    setting.generator.closedLoop({
      ...getOf(throughGateway(installation), path),
      connections,
      until: { durationMs },
    });
  const pages = await alternate({
    first: get(first),
    deep: get(deep),
    common: get(`${first}&tags=${commonTag}`),
    rare: get(`${first}&tags=${rareTag}`),
    allRare: get(`/runs/${small}/records?limit=${pageItems}&tags=${rareTag}`),
  });
  const runs = await alternate({ small: get(`/runs/${small}`), large: get(`/runs/${large}`) });
  const toRow = { question: '4', figure: 'p50Ms', ratioMax: 1.3 } as const;
  return [
    timeRow({
      ...toRow,
      measure: `a page of ${pageItems}, 10,000 pages deep, against the first`,
      ours: pages.deep,
      baseline: pages.first,
    }),
    timeRow({
      ...toRow,
      measure: '  the first of a tag that 100,000 of the 1,000,000 have',
      ours: pages.common,
      baseline: pages.first,
    }),
    timeRow({
      ...toRow,
      measure: '10 records by a tag that no other of the 1,000,000 has, against a run of these 10',
      ours: pages.rare,
      baseline: pages.allRare,
    }),
    timeRow({
      ...toRow,
      measure: 'GET of a run of 1,000,000 records against one of 10',
      ours: runs.large,
      baseline: runs.small,
    }),
  ];
}

/** Ids of a run's records in order from a number on: as many as a page has, and one. */
async function idsFrom(setting: Setting, runId: string, number: number): Promise<string[]> {
  const { databaseOf, organizationId } = await setting.installation();
  const client = await MongoClient.connect((await setting.servers()).mongodbUri);
  const records = client.db(databaseOf('run-records')).collection<{ _id: string }>('records');
  const found = records
    .find({ organizationId, runId }, { projection: { _id: 1 } })
    .sort({ _id: 1 });
  const page = await found
    .skip(number)
    .limit(pageItems + 1)
    .toArray();
  await client.close();
  return page.map(({ _id }) => _id);
}

/** The cursor that a client has after this record, without the walk that leads there. */
function cursorAfter(
  { keysOf }: Setting,
  { organizationId }: Installation,
  runId: string,
  recordId: string,
): string {
  const list = listKey({
    operation: 'run-records.listRecords',
    organizationId,
    params: { runId },
    filters: {},
  });
  return sealCursor(ownKeys(keysOf('run-records')), list, recordId);
}

async function checkPage({ call }: Installation, path: string, ids: string[]): Promise<void> {
  const { data } = await call('GET', path);
  if (data.map(({ id }: { id: string }) => id).join() !== ids.join())
    throw new Error('The deep page is not the one meant.');
}
