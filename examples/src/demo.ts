import { runSession } from '@assay/local/session';
import { readArguments } from './arguments.ts';
import { type Client, createClient } from './client.ts';
import { type EvaluatedVersion, type Evaluation, evaluate } from './evaluation.ts';
import { whole } from './figures.ts';
import { readSolutions } from './gsm8k/solutions.ts';
import { compareWithLabels, gsm8kTask } from './gsm8k/task.ts';
import { tellChanges } from './ingredients/changes.ts';
import { ingredientTask } from './ingredients/task.ts';
import { leaderboard } from './leaderboard.ts';
import { describeProgress, showProgress } from './progress.ts';
import type { RunProgress } from './scoring.ts';

/** What is evaluated, and what to say about the outcome besides the leaderboard. */
interface Demo {
  evaluation: Evaluation;
  remark: (outcome: { client: Client; versions: EvaluatedVersion[] }) => Promise<string[]>;
}

/** For how long the reason of a wait is shown. */
const waitShownMs = 2_500;

await run();

/** `npm run demo`: whatever it reads is read and checked before anything is started. */
async function run(): Promise<void> {
  const { exit, gsm8k } = readArguments(process.argv.slice(2));
  const demo = gsm8k === undefined ? ingredientDemo() : await gsm8kDemo(gsm8k).catch(endWith);
  await runSession(async ({ url, key, folder }) => {
    const { versions, lines } = await show({ demo, url, key });
    print('', ...lines, '', ...nextSteps({ url, key, folder, exit, runId: versions.at(-1)!.runId }));
    return exit ? 'leave' : 'stay';
  });
}

function endWith(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function ingredientDemo(): Demo {
  const remark: Demo['remark'] = ({ client, versions }) => tellChanges({ client, before: versions[1]!, after: versions[2]! });
  return { evaluation: ingredientTask(), remark };
}

async function gsm8kDemo(path: string): Promise<Demo> {
  const problems = await readSolutions(path);
  return { evaluation: gsm8kTask(problems), remark: async ({ versions }) => [compareWithLabels({ problems, versions })] };
}

/** Evaluates under the eyes of a person. */
async function show({ demo: { evaluation, remark }, url, key }: { demo: Demo; url: string; key: string }) {
  const { title, testcases, versions: systemVersions, metrics } = evaluation;
  const recordsExpected = testcases.length * systemVersions.length;
  const scoresExpected = recordsExpected * metrics.length;
  const startedAt = performance.now();
  let runs: RunProgress[] = [];
  let wait = { reason: '', until: 0 };
  const onWait = (reason: string) => {
    wait = { reason, until: performance.now() + waitShownMs };
  };
  const client = createClient({ url: `${url}/v2`, key, onWait });
  print(
    `Evaluating ${title}: ${whole(testcases.length)} testcases × ${systemVersions.length} versions × ${countOf(metrics.length, 'metric')}`,
  );
  const describe = () => {
    const elapsedMs = performance.now() - startedAt;
    return describeProgress({
      runs,
      recordsExpected,
      scoresExpected,
      elapsedMs,
      waiting: performance.now() < wait.until ? wait.reason : undefined,
    });
  };
  const progress = showProgress({ screen: process.stderr, describe });
  try {
    const versions = await evaluate({ client, evaluation, at: new Date(), onProgress: (latest) => (runs = latest) });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const done = `${whole(recordsExpected)} records and ${whole(scoresExpected)} scores in ${seconds} s.`;
    return {
      versions,
      lines: [done, '', ...leaderboard({ versions, width: process.stdout.columns }), '', ...(await remark({ client, versions }))],
    };
  } finally {
    progress.stop();
  }
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

interface Whereabouts {
  url: string;
  key: string;
  folder: string;
  runId: string;
  exit: boolean;
}

function nextSteps({ url, key, folder, runId, exit }: Whereabouts): string[] {
  const stays = exit
    ? `All of it is kept in ${folder}; npm start serves it again.`
    : 'Assay stays up; Ctrl-C stops it, and keeps everything.';
  return [
    stays,
    '',
    `  URL  ${url}`,
    `  Key  ${key}`,
    `  Try  curl -H "Authorization: Bearer ${key}" "${url}/v2/runs/${runId}/records?limit=1"`,
  ];
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
