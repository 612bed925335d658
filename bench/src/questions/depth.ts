import { listKey, sealCursor } from '@assay/runtime/cursor';
import { authorizationOf } from '../client.ts';
import { fillRun } from '../fill-run.ts';
import type { Load, Measured } from '../load.ts';
import { createRun } from '../records.ts';
import { millisecondsText, type Row, ratioText, say } from '../report.ts';
import { alternate, errorsOf, medianOf, ratioOf } from '../rounds.ts';
import type { Installation, Setting } from '../setting.ts';

/** Few: what is asked is how long a page takes, not how long it waits. */
const connections = 4;
const durationMs = 2000;
const recordsCount = 1_000_000;
const pageItems = 50;
const deepPages = 10_000;

/** Question 4: a page far into a list against its first one, and a run of a million records against one of ten. */
export async function askDepth(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call } = installation;
  const [large, small] = [await createRun(call), await createRun(call)];
  await fill(setting, small, 10);
  const ids = await fill(setting, large, recordsCount);

  const first = `/runs/${large}/records?limit=${pageItems}`;
  const deep = `${first}&cursor=${cursorAfter(setting, installation, large, ids[pageItems * deepPages - 1]!)}`;
  await checkDeepPage(installation, deep, ids);
  const pages = await alternateOf(setting, installation, { first, deep });
  const runs = await alternateOf(setting, installation, { small: `/runs/${small}`, large: `/runs/${large}` });
  return [
    toRow(`a page of ${pageItems}, 10,000 pages deep, against the first`, pages.deep, pages.first),
    toRow('GET of a run of 1,000,000 records against one of 10', runs.large, runs.small),
  ];
}

async function fill(setting: Setting, runId: string, count: number): Promise<string[]> {
  const { call, databaseOf } = await setting.installation();
  const startMs = performance.now();
  const { mongodbUri } = await setting.servers();
  const ids = await fillRun({ uri: mongodbUri, database: databaseOf('run-records'), call, runId, count });
  const { numRecords } = await call('GET', `/runs/${runId}`);
  if (numRecords !== count) throw new Error(`The run counts ${numRecords} records, but has ${count}.`);
  if (count > 1000) say(`  ${count} records put in, in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  return ids;
}

/** The cursor that a client has after this record, without the walk that leads there. */
function cursorAfter({ secret }: Setting, { organizationId }: Installation, runId: string, recordId: string): string {
  const list = listKey({ operation: 'run-records.listRecords', organizationId, params: { runId }, filters: {} });
  return sealCursor(secret, list, recordId);
}

async function checkDeepPage({ call }: Installation, path: string, ids: string[]): Promise<void> {
  const page = await call('GET', path);
  const expected = ids.slice(pageItems * deepPages, pageItems * (deepPages + 1));
  if (page.data.map(({ id }: { id: string }) => id).join() !== expected.join()) throw new Error('The deep page is not the one meant.');
}

function alternateOf<Side extends string>(setting: Setting, { url, key }: Installation, paths: Record<Side, string>) {
  const sides = Object.entries<string>(paths).map(([side, path]) => {
    const load: Load = { url, method: 'GET', path: `/v2${path}`, headers: authorizationOf(key), connections, durationMs };
    return [side, load];
  });
  return alternate<Side>({ generator: setting.generator, sides: Object.fromEntries(sides) });
}

function toRow(measure: string, ours: Measured[], baseline: Measured[]): Row {
  const ratio = ratioOf(ours, baseline, 'p50Ms');
  return {
    question: '4',
    measure,
    baseline: millisecondsText(medianOf(baseline, 'p50Ms')),
    ours: millisecondsText(medianOf(ours, 'p50Ms')),
    ratio: ratioText(ratio),
    reach: '≤ 1.3 ×',
    isReached: ratio <= 1.3,
    errors: errorsOf([...ours, ...baseline]),
  };
}
