import { setTimeout as pause } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { createLargeRun } from '../large-run.ts';
import { createLargeTestset } from '../large-testset.ts';
import { millisecondsText, type Row, say, secondsText } from '../report.ts';
import { errorsOf, timeOf, toText } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { type SmallRequests, watchSmallRequests } from '../small-requests.ts';

const question = 'deletion';
const aloneMs = 3000;
/** After a start the code is slow for a moment. */
const warmUpMs = 3000;
const lookEveryMs = 250;
/** The benchmark has no more time for it. */
const patienceMs = 40_000;
/**
 * The services leave newly deleted data alone for some minutes; a deletion of this age is past
 * that.
 */
const longAgoMs = 60 * 60_000;

/** A run or testset that is deleted with all its items. */
interface DeletionSubject {
  name: string;
  id: string;
  path: string;
  service: string;
  /** The collection in which its service notes that it is deleted. */
  notedIn: string;
  items: string;
  /** The field of an item that holds the id of its run or testset. */
  parent: string;
}

/**
 * The deletion of a run of a million records and of a testset of a million testcases at once: how
 * long it takes, and who notices.
 */
export async function askDeletion(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { organizationId } = installation;
  const client = await MongoClient.connect((await setting.servers()).mongodbUri);
  const databaseOf = ({ service }: DeletionSubject) => client.db(installation.databaseOf(service));
  const watch = (durationMs: number, ended?: Promise<unknown>) =>
    watchSmallRequests({ generator: setting.generator, installation, durationMs, ended });
  const doomed = await prepare(setting);
  const alone = await watch(aloneMs);
  const answered: number[] = [];
  for (const { path } of doomed)
    answered.push(await timeOf(() => installation.call('DELETE', path)));
  for (const one of doomed) await ageDeletion(databaseOf(one), one);
  // The services look for deleted data when they start, and then once a minute.
  for (const { service } of doomed) await installation.restart(service);
  const going = Promise.all(
    doomed.map((one) => watchRemoval(databaseOf(one), organizationId, one)),
  );
  const [removals, beside] = await Promise.all([
    going,
    watch(warmUpMs).then(() => watch(patienceMs, going)),
  ]);
  await client.close();
  say(`  meanwhile GET ${toText(beside.get)}; POST ${toText(beside.post)}`);
  return [
    ...doomed.flatMap(({ name, items }, index) => [
      {
        question,
        measure: `deleting ${name}: until it is answered`,
        ours: millisecondsText(answered[index]!),
      },
      {
        question,
        measure: `  until none of the ${items} is in the database, once the service begins`,
        ours: removals[index]!,
      },
    ]),
    toRow('p99 of reading a run while both go; baseline: before', beside.get, alone.get),
    toRow('  p99 of creating a record of 1 KB', beside.post, alone.post),
  ];
}

async function prepare(setting: Setting): Promise<DeletionSubject[]> {
  const { runId } = await setting.shared(createLargeRun);
  const { testsetId } = await setting.shared(createLargeTestset);
  return [
    {
      name: 'a run of 1,000,000 records',
      id: runId,
      path: `/runs/${runId}`,
      service: 'run-records',
      notedIn: 'runs',
      items: 'records',
      parent: 'runId',
    },
    {
      name: 'a testset of 1,000,000 testcases',
      id: testsetId,
      path: `/testsets/${testsetId}`,
      service: 'testcases',
      notedIn: 'deletedTestsets',
      items: 'testcases',
      parent: 'testsetId',
    },
  ];
}

/** Makes a deletion that is noted look as if it had been long ago. */
async function ageDeletion(database: Db, { id, notedIn }: DeletionSubject): Promise<void> {
  const deletions = database.collection<{ _id: string; deletedAt?: Date }>(notedIn);
  const isDeleted = { _id: id, deletedAt: { $exists: true } };
  while (!(await deletions.findOne(isDeleted))) await pause(lookEveryMs);
  await deletions.updateOne(isDeleted, { $set: { deletedAt: new Date(Date.now() - longAgoMs) } });
}

/**
 * How long it takes until none of the items is left, or how many are gone when there is no more
 * time for it.
 */
async function watchRemoval(
  database: Db,
  organizationId: string,
  { id, items, parent }: DeletionSubject,
): Promise<string> {
  const left = { organizationId, [parent]: id };
  const startMs = performance.now();
  while (performance.now() - startMs < patienceMs) {
    if (!(await database.collection(items).findOne(left, { projection: { _id: 1 } })))
      return secondsText(performance.now() - startMs);
    await pause(lookEveryMs);
  }
  const gone = 1 - (await database.collection(items).countDocuments(left)) / 1_000_000;
  return `${(gone * 100).toFixed(0)} % in ${secondsText(patienceMs)}`;
}

const toRow = (
  measure: string,
  beside: SmallRequests['get'],
  alone: SmallRequests['get'],
): Row => ({
  question,
  measure,
  baseline: millisecondsText(alone.p99Ms),
  ours: millisecondsText(beside.p99Ms),
  errors: errorsOf([beside]),
});
