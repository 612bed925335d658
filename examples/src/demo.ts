import { createClient } from '@assay/client/client';
import { whole } from '@assay/client/figures';
import {
  demoJudgeModel,
  ownJudgesIn,
  rememberDemoProject,
  withDemoJudge,
} from '@assay/local/demo-judge/demo-judge';
import type { LocalConfig } from '@assay/local/environment';
import { runSession } from '@assay/local/session';
import { shellWord } from '@assay/local/shell-word';
import { readArguments } from './arguments.ts';
import { type FlipView, tellComparisons } from './comparing.ts';
import { type EvaluatedVersion, type Evaluation, evaluate } from './evaluation.ts';
import { readSolutions } from './gsm8k/solutions.ts';
import { compareWithLabels, gsm8kTask, solutionView } from './gsm8k/task.ts';
import { ingredientTask, readingView } from './ingredients/task.ts';
import { leaderboard } from './leaderboard.ts';
import { describeProgress, showProgress } from './progress.ts';
import type { RunProgress } from './scoring.ts';

/** An evaluation, the version whose flips are shown, and a remark on the leaderboard. */
interface Demo {
  /** `judgeModel` can be asked for scores. */
  evaluationBy: (judgeModel: string | undefined) => Evaluation;
  view: FlipView;
  flipsOf: number;
  remark?: (versions: EvaluatedVersion[]) => string;
}

/** For how long the reason of a wait is shown. */
const waitShownMs = 2_500;

await run();

/** `npm run demo`: whatever it reads is read and checked before anything is started. */
async function run(): Promise<void> {
  const { exit, gsm8k } = readArguments(process.argv.slice(2));
  const demo = gsm8k === undefined ? ingredientDemo() : await gsm8kDemo(gsm8k).catch(endWith);
  let judgeModel: string | undefined;
  async function adapt(config: LocalConfig): Promise<LocalConfig> {
    // Judges of one's own may cost money, and a demo asks them a thousand times.
    if (gsm8k !== undefined || ownJudgesIn(config).length > 0) return config;
    judgeModel = demoJudgeModel;
    return withDemoJudge(config);
  }
  await runSession(async ({ url, key, keyFile, folder, createLoginLink }) => {
    const { projectId, versions, lines, isTraced } = await show({ demo, judgeModel, url, key });
    if (judgeModel) await rememberDemoProject(folder, projectId);
    // With --exit nobody is there to follow it.
    const link = exit ? undefined : await createLoginLink();
    print(
      '',
      ...lines,
      '',
      ...nextSteps({
        url,
        keyFile,
        folder,
        exit,
        runId: versions.at(-1)!.runId,
        traces: isTraced ? `${url}/projects/${projectId}/traces` : undefined,
        comparison: link && comparisonLink(link, { projectId, versions: versions.slice(-2) }),
      }),
    );
    return exit ? 'leave' : 'stay';
  }, adapt);
}

function endWith(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function ingredientDemo(): Demo {
  return { evaluationBy: ingredientTask, view: readingView, flipsOf: 2 };
}

async function gsm8kDemo(path: string): Promise<Demo> {
  const problems = await readSolutions(path);
  const remark = (versions: EvaluatedVersion[]) => compareWithLabels({ problems, versions });
  return { evaluationBy: () => gsm8kTask(problems), view: solutionView, flipsOf: 1, remark };
}

/** Evaluates under the eyes of a person. */
async function show({
  demo: { evaluationBy, view, flipsOf, remark },
  judgeModel,
  url,
  key,
}: {
  demo: Demo;
  judgeModel: string | undefined;
  url: string;
  key: string;
}) {
  const evaluation = evaluationBy(judgeModel);
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
  const otlp = createClient({ url: `${url}/otel`, key, onWait });
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
    const { projectId, versions } = await evaluate({
      client,
      otlp,
      evaluation,
      at: new Date(),
      onProgress: (latest) => (runs = latest),
    });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const done = `${whole(recordsExpected)} records and ${whole(scoresExpected)} scores in ${seconds} s.`;
    const board = leaderboard({ versions, width: process.stdout.columns });
    const remarks = remark ? ['', remark(versions)] : [];
    return {
      projectId,
      versions,
      isTraced: systemVersions.some(({ model }) => model !== undefined),
      lines: [
        done,
        '',
        ...board,
        ...remarks,
        '',
        ...(await tellComparisons({ client, versions, view, flipsOf })),
      ],
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
  keyFile: string;
  folder: string;
  runId: string;
  exit: boolean;
  /** The page with the traces of the answers; undefined where they have none. */
  traces: string | undefined;
  /** Signs in and leads to the comparison; undefined where there is no console. */
  comparison: string | undefined;
}

/** The sign-in link, which leads on to the comparison of two versions. */
function comparisonLink(
  link: string,
  { projectId, versions }: { projectId: string; versions: EvaluatedVersion[] },
): string {
  const [baseline, candidate] = versions;
  const compared = new URLSearchParams({
    baseline: baseline!.runId,
    candidate: candidate!.runId,
    show: 'regressed',
  });
  const url = new URL(link);
  url.searchParams.set('to', `/projects/${projectId}/compare?${compared}`);
  return url.href;
}

function nextSteps({
  url,
  keyFile,
  folder,
  runId,
  exit,
  traces,
  comparison,
}: Whereabouts): string[] {
  const stays = exit
    ? `All of it is kept in ${folder}; npm start serves it again.`
    : 'Assay stays up; Ctrl-C stops it, and keeps everything.';
  return [
    stays,
    '',
    ...(comparison
      ? [
          '  See the comparison in a browser; the link signs in, once and within 10 minutes:',
          `  ${comparison}`,
          '',
        ]
      : []),
    ...(traces ? ['  What each answer took, as its trace:', `  ${traces}`, ''] : []),
    `  URL  ${url}`,
    `  Key  in ${keyFile}`,
    `  Try  curl -H "Authorization: Bearer $(cat ${shellWord(keyFile)})" "${url}/v2/runs/${runId}/records?limit=1"`,
    '',
    '  Next',
    '    your own data     docs/first-evaluation.md: from a spreadsheet to a verdict',
    `    the command       npm install --global ${url}/sdk/assay.tgz`,
    '    in a script       docs/evaluate.md: five lines of Python or TypeScript',
    '    in the browser    Testsets, Import (CSV, TSV, JSON, JSON lines)',
    '    your first judge  docs/first-judge.md, or one of the ready-made: docs/judge-templates.md',
    `    every operation   ${url}/docs`,
  ];
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
