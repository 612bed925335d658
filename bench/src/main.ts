import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readProfiles } from './profile.ts';
import { askBulkRecords } from './questions/bulk-records.ts';
import { askComparison } from './questions/comparison.ts';
import { askDeletion } from './questions/deletion.ts';
import { askDepth } from './questions/depth.ts';
import { askDerivation } from './questions/derivation.ts';
import { askGatewayAlone } from './questions/gateway-alone.ts';
import { askIdleMemory } from './questions/idle-memory.ts';
import { askJudging } from './questions/judging.ts';
import { askLargeRecords } from './questions/large-records.ts';
import { askListing } from './questions/listing.ts';
import { askNeighbours } from './questions/neighbours.ts';
import { askOverload } from './questions/overload.ts';
import { askRecordFilters } from './questions/record-filters.ts';
import { askRecordQuestions } from './questions/record-questions.ts';
import { askRunLists } from './questions/run-lists.ts';
import { askScores } from './questions/scores.ts';
import { askSingleRecords } from './questions/single-records.ts';
import { askSmallBesideLarge } from './questions/small-beside-large.ts';
import { askTestcaseCreation } from './questions/testcase-creation.ts';
import { askTraceReading } from './questions/trace-reading.ts';
import { askTraces } from './questions/traces.ts';
import { askVerdicts } from './questions/verdicts.ts';
import { askVolume } from './questions/volume.ts';
import { askWaitingJobs } from './questions/waiting-jobs.ts';
import { mebibytesText, type Row, say, secondsText, tableOf } from './report.ts';
import { createSetting, profileFolderOf, type Setting } from './setting.ts';

/**
 * The questions by the names that select them; numbers are those of the performance targets. The
 * order matters: the first question that uses shared data makes it, the last deletes it, and the
 * work that goes on after the last question disturbs no other.
 */
const questions = new Map<string, { title: string; ask: (setting: Setting) => Promise<Row[]> }>([
  ['1', { title: 'single records through the gateway', ask: askSingleRecords }],
  ['3', { title: 'the gateway alone', ask: askGatewayAlone }],
  ['9', { title: 'creating testcases', ask: askTestcaseCreation }],
  ['10', { title: 'reading testcases', ask: askDerivation }],
  ['5', { title: 'records of 15 MiB', ask: askLargeRecords }],
  ['6', { title: 'small requests beside large ones', ask: askSmallBesideLarge }],
  ['7', { title: 'bus questions a record', ask: askRecordQuestions }],
  ['8', { title: 'listing records with scores', ask: askListing }],
  ['overload', { title: 'more records than can be taken', ask: askOverload }],
  [
    'neighbours',
    { title: 'what an organization notices of what another does', ask: askNeighbours },
  ],
  ['memory', { title: "the laptop's memory", ask: askIdleMemory }],
  ['scores', { title: 'scores of a built-in evaluator', ask: askScores }],
  ['judge', { title: 'scores of a slow judge', ask: askJudging }],
  ['waiting', { title: 'memory while records wait for a judge', ask: askWaitingJobs }],
  ['verdicts', { title: 'verdicts and intervals of comparisons', ask: askVerdicts }],
  ['traces', { title: 'spans by OpenTelemetry', ask: askTraces }],
  ['trace-reading', { title: 'a long trace, and lists of many', ask: askTraceReading }],
  ['run-lists', { title: 'lists and trends of 5,000 runs', ask: askRunLists }],
  ['comparison', { title: 'comparing two runs of 100,000 records', ask: askComparison }],
  ['11', { title: 'records by filters and in orders', ask: askRecordFilters }],
  ['2', { title: 'records as NDJSON', ask: askBulkRecords }],
  ['4', { title: 'depth of lists and size of runs', ask: askDepth }],
  ['volume', { title: 'a million testcases and records in one body', ask: askVolume }],
  ['deletion', { title: 'deleting a million', ask: askDeletion }],
]);

const { values: options, positionals } = readArguments();
const all = 'all';
/** Those of the performance targets, in less than ten minutes. */
const isTarget = (name: string) => /^\d+$/.test(name) || name === 'overload';
const isAsked = (name: string) =>
  positionals.length === 0
    ? isTarget(name)
    : positionals.includes(name) || positionals.includes(all);
const asked = [...questions.keys()].filter(isAsked);
const unknown = positionals.filter((name) => !questions.has(name) && name !== all);
if (unknown.length > 0) {
  say(
    `There is no question ${unknown.join(', ')}; there are ${[...questions.keys()].join(', ')}, and "${all}" for all of them.`,
  );
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'));
const setting = createSetting({
  folder,
  profile: options.profile,
  recordsCount: Number(options.records),
  tracesCount: Number(options.traces),
  drawsCount: Number(options.draws),
  attackNames: options.attacks?.split(',') ?? [],
  pairsCount: Number(options.pairs),
});
let ending: Promise<never> | undefined;
process.on('SIGINT', () => void end(1)).on('SIGTERM', () => void end(1));
const rows: Row[] = [];
try {
  await askAll(asked);
  tellRows();
  await end(0);
} catch (error) {
  if (!ending) say((error as Error).stack ?? String(error));
  tellRows();
  await end(1);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        profile: { type: 'string', multiple: true, default: [] },
        records: { type: 'string', default: '1000000' },
        traces: { type: 'string', default: '1000000' },
        draws: { type: 'string', default: '600' },
        attacks: { type: 'string' },
        pairs: { type: 'string', default: '100000' },
      },
      allowPositionals: true,
    });
  } catch {
    say(
      `Usage: npm run bench -- [question …] [--profile=process …] [--records=count] [--traces=count] [--draws=count] [--attacks=name,name] [--pairs=count], with the questions ${[...questions.keys()].join(', ')}, or all.`,
    );
    process.exit(1);
  }
}

async function askAll(names: string[]): Promise<void> {
  const startMs = performance.now();
  for (const [index, name] of names.entries()) {
    const { title, ask } = questions.get(name)!;
    say(`\n[${index + 1}/${names.length}] question ${name}: ${title}`);
    const askedMs = performance.now();
    rows.push(...(await ask(setting)));
    say(`  took ${secondsText(performance.now() - askedMs)}`);
  }
  say(`\nall of it took ${secondsText(performance.now() - startMs)}`);
}

function tellRows(): void {
  if (rows.length > 0) process.stdout.write(`\n${describeMachine()}\n\n${tableOf(rows)}\n`);
}

function describeMachine(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `${availableParallelism()} cores, ${mebibytesText(totalmem())} of memory, Node ${process.version}, ${date}`;
}

/** Ends all that was started; profiles are written by then, and told. */
function end(exitCode: number): Promise<never> {
  ending ??= (async () => {
    await setting.stop();
    for (const name of options.profile) {
      for (const profile of await readProfiles(profileFolderOf(folder, name)))
        process.stdout.write(`\n${name}\n${profile}\n`);
    }
    await rm(folder, { recursive: true, force: true });
    process.exit(exitCode);
  })();
  return ending;
}
