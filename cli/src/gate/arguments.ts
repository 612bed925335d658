import { apiKey, baseUrl, defaultUrl } from '@assay/client/address';
import { baselineForms } from '@assay/client/find';
import {
  type Allowance,
  allowanceForms,
  isAllowance,
  isShare,
  type Limits,
  shareForms,
  shareOf,
} from '@assay/comparison/gate/limits';
import { readConfig } from '@assay/runtime/config';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { CommandFailure } from '../failure.ts';
import { collect, errorsOption, wholeNumber } from '../options.ts';
import { type CommentPlace, commentConfig, commentPlace } from './comment.ts';

const formats = ['table', 'json', 'junit', 'markdown'] as const;
type Format = (typeof formats)[number];

/** The comparison that is asked for, and the limits for its result. */
export interface Question {
  /** Ids, names, or one of the forms that mean the newest run of a kind. */
  baseline: string;
  candidate: string;
  /** The name or id of the project of both; all are searched where none is named. */
  project?: string | undefined;
  /** Names or ids; none: all that both runs have. */
  metrics: string[];
  limits: Limits;
  /** Whether errors count as the worst, or in no metric. */
  errors: 'worst' | 'exclude';
  level: number;
  /** Goes by the figures that hold however often one looks. */
  anytime: boolean;
  groupBy?: string;
  /** The name or id of the metric of people that corrects judges; else their overrides do. */
  humanMetric?: string;
  /** Seconds to wait until both runs are complete. */
  wait: number;
  /** With the version. */
  url: string;
}

/** The plan that is asked for: from one run, from two, or from figures. */
export interface PlanQuestion {
  /** A name, or an id. */
  metric: string;
  difference: number;
  power: number;
  level: number;
  baseline?: string;
  candidate?: string;
  baselineMean?: number;
  changeRate?: number;
  standardDeviation?: number;
  testset?: string;
  /** With the version. */
  url: string;
}

/** The arguments of a comparison, or of a plan for one. */
export interface GateArguments {
  key: string;
  url: string;
  format: Format;
  /** Where the report is written; the table goes to standard output then. */
  output?: string;
  /** The page of a job of GitHub Actions, to which the report is added. */
  summaryFile?: string;
  /** The pull or merge request whose comment is kept up to date. */
  comment?: CommentPlace;
  /** False where the environment asks for none. */
  hasColours: boolean;
  question: { kind: 'comparison'; asked: Question } | { kind: 'plan'; asked: PlanQuestion };
}

const gateConfig = {
  ASSAY_URL: z.string().optional(),
  ASSAY_API_KEY: z.string().optional(),
  NO_COLOR: z.string().optional(),
  TERM: z.string().optional(),
  GITHUB_STEP_SUMMARY: z.string().optional(),
  ...commentConfig,
};

/** The server and keys that a login has left. */
interface Login {
  url: string | undefined;
  /** The key for a base path of the API, where there is one. */
  keyOfUrl: (url: string) => string | undefined;
}

const waitSecondsMax = 24 * 60 * 60;

const rules = `
A run is named by:
  an id or a name
  branch:NAME   the newest completed run with the label branch:NAME, which evaluations in a checkout of git get
  latest:NAME   the newest completed run of this name
  production    of a baseline: the newest completed run of the production version of the candidate's system
  baseline      of a baseline: the one of the testset
A baseline that is not an id or a name is a run on the testset of the candidate, and never the candidate itself.

Exit codes:
  0  better, or undecided within the limits; also a first run, with nothing to compare with, that is within its limits
  1  worse, in any metric or in errors: the verdict is "worse" (adjusted p at most 1 - level, and a difference for the worse), the
     difference is larger than --max-regression, the pass rate is below --min-pass-rate, or errors are more than --max-errors
  2  could not tell: no such run, metric or key, no answer, scores that are unknown and could turn the result, fewer than two
     pairs, wrong arguments. A 1 comes before a 2.

  With --plan: 0  there is a plan, 2  there is none.

  A score is unknown where it is missing, failed or invalid. The gate compares once more with each of them counted against the
  candidate: as the worst of its metric in the candidate, as the best in the baseline. Where it would pass even then, they are a
  remark. --allow-missing sets how many may be unknown, of each metric and run, in the place of this. A metric of people is held
  to its scores only where --metric names it.
  A first run: --baseline is production or baseline and there is none, or no run on the testset has the label or name, nor one
  like it. A name that is like another is refused with 2.
  --min-pass-rate holds over all testcases that the candidate expects. An error does not pass. It is missed only where it would be
  so even if each unknown score passed. With --min-passes 2 a testcase passes where two of its records do.

  The limits make the gate stricter, never more lenient. --max-regression holds against the difference itself; where only its
  interval reaches past the limit, the table says that a larger regression cannot be excluded, and the gate passes.
  The verdict on a metric that a model judges is corrected by people's scores of the same testcases, where 30 or more have some in both
  runs; else it is by the judge alone, and the report says so. --min-pass-rate holds against the pass rate that the judge gave.
  Both limits are in the metric's own unit, as the API tells it: 0.05 of a pass rate is five points of a hundred.
  latency, input_tokens, output_tokens and cost are what the records took of the system: less is better, and a regression is a larger
  value, of so many milliseconds, tokens or US dollars. They have no pass rate.

The reason is one sentence on standard error. The key is better given as ASSAY_API_KEY: others on the machine see arguments.`;

/** Adds the options of `assay gate`, with the rules to its help. */
export const addGateOptions = (command: Command): Command =>
  command
    .option('--baseline <run>', 'the run to compare with', named('--baseline'))
    .option('--candidate <run>', 'the run that is to pass', named('--candidate'))
    .addOption(
      new Option(
        '--metric <name>',
        'a metric by name or id, or latency, input_tokens, output_tokens, cost; repeatable',
      )
        .argParser(collect)
        .default([], 'all that both runs have'),
    )
    .option('--project <name>', 'the project of the runs, by name or id (default: all)')
    .option(
      '--min-pass-rate <share>',
      "the least that the candidate's pass rate may be: 0.9, or 90%",
      share,
    )
    .option(
      '--max-regression <size>',
      "the most that the candidate may be worse, in the metric's own unit",
      number({ min: 0, max: Number.MAX_VALUE }),
    )
    .option(
      '--level <level>',
      'confidence level, 0.5 to 1, both exclusive',
      number({ above: 0.5, below: 1 }),
      0.95,
    )
    .option(
      '--anytime',
      'go by the figures that hold however often one looks while testcases are added',
      false,
    )
    .option(
      '--group-by <pointer>',
      'JSON Pointer into inputs or metadata: pairs of one group are drawn together',
    )
    .option(
      '--human-metric <name>',
      "a human metric whose scores correct the judge (default: people's scores of the judged metric)",
    )
    .option(
      '--wait <seconds>',
      'how long to wait until both runs are complete',
      number({ min: 0, max: waitSecondsMax }),
      0,
    )
    .option(
      '--min-passes <count>',
      'of repeats: how many records of a testcase have to pass, with --min-pass-rate',
      wholeNumber(1, 100),
    )
    .option(
      '--max-errors <count>',
      'the most records on which the candidate may fail: 3, or 5% of those it expects',
      allowance,
    )
    .option(
      '--allow-missing <count>',
      'how many scores of each metric and run may be unknown: 3, or 5%',
      allowance,
    )
    .addOption(errorsOption())
    .addOption(new Option('--format <format>', 'of the report').choices(formats).default('table'))
    .option('--output <file>', 'write the report there, and the table to standard output')
    .option('--github', 'add the report to the page of a job of GitHub Actions, and annotate it')
    .addOption(
      new Option(
        '--comment <host>',
        'keep one comment of the pull request or merge request up to date with the result',
      ).choices(['github', 'gitlab']),
    )
    .option('--plan', 'say how large a comparison has to be, in place of making one')
    .option(
      '--difference <size>',
      'of a plan: the difference to be found, up to 4',
      number({ above: 0, max: 4 }),
    )
    .option(
      '--power <share>',
      'of a plan: how often it is to be found, 0.5 to 0.999',
      number({ min: 0.5, max: 0.999 }),
      0.8,
    )
    .option(
      '--baseline-mean <share>',
      'of a plan without runs: the pass rate, 0 to 1',
      number({ min: 0, max: 1 }),
    )
    .option(
      '--change-rate <share>',
      'of a plan without runs: the share of testcases that change, up to 1',
      number({ above: 0, max: 1 }),
    )
    .option(
      '--standard-deviation <size>',
      'of a plan without runs: of the differences of numbers, up to 4',
      number({ above: 0, max: 4 }),
    )
    .option('--testset <testset>', "of a plan: the testset there is (default: the runs' own)")
    .option('--url <url>', `where Assay is (default: ASSAY_URL, else ${defaultUrl})`)
    .option('--key <key>', 'API key (default: ASSAY_API_KEY)')
    .addHelpText('after', rules);

/** Reads the options and the environment. A fault is told as commander tells its own. */
export function readArguments(
  command: Command,
  options: Options,
  { url: knownUrl = defaultUrl, keyOfUrl }: Login,
): GateArguments {
  const environment = readConfig(gateConfig);
  const checked = orUsage(command);
  const url = checked(() => baseUrl(options.url ?? environment.ASSAY_URL ?? knownUrl));
  return {
    url,
    key: checked(() => keyOf(options.key ?? environment.ASSAY_API_KEY ?? keyOfUrl(url))),
    format: options.format,
    ...(options.output === undefined ? {} : { output: options.output }),
    ...(options.github ? { summaryFile: checked(() => summaryFile(environment)) } : {}),
    ...(options.comment === undefined
      ? {}
      : { comment: commentPlace(options.comment, environment) }),
    hasColours: !environment.NO_COLOR && environment.TERM !== 'dumb',
    question: options.plan
      ? { kind: 'plan', asked: checked(() => planQuestion(options, url)) }
      : { kind: 'comparison', asked: checked(() => comparisonQuestion(options, url)) },
  };
}

/** A variable of a pipeline that is not set is told without the way to the help. */
const named = (option: string) => (text: string) => {
  if (text.trim() !== '') return text;
  throw new CommandFailure(
    `${option} is empty: is the variable set that it comes from? Give ${baselineForms}.`,
  );
};

function summaryFile({ GITHUB_STEP_SUMMARY: file }: { GITHUB_STEP_SUMMARY?: string | undefined }) {
  if (file) return file;
  throw new InvalidArgumentError(
    '--github is for a job of GitHub Actions, which sets GITHUB_STEP_SUMMARY; elsewhere give --format markdown --output FILE.',
  );
}

export interface Options
  extends Pick<Question, 'anytime' | 'level' | 'groupBy' | 'humanMetric' | 'wait'>,
    Limits,
    Pick<PlanQuestion, 'power' | 'baselineMean' | 'changeRate' | 'standardDeviation' | 'testset'> {
  baseline?: string;
  candidate?: string;
  metric: string[];
  format: Format;
  output?: string;
  github?: true;
  comment?: 'github' | 'gitlab';
  errors: Question['errors'];
  project?: string;
  plan?: true;
  difference?: number;
  url?: string;
  key?: string;
}

function comparisonQuestion(options: Options, url: string): Question {
  const { metric, errors, level, anytime, groupBy, humanMetric, wait } = options;
  const { minPassRate, minPasses, maxRegression, maxErrors, allowMissing } = options;
  if (minPasses !== undefined && minPassRate === undefined)
    throw new InvalidArgumentError(
      '--min-passes says what passes for --min-pass-rate: give that, too.',
    );
  return {
    baseline: required(options.baseline, '--baseline <run>'),
    candidate: required(options.candidate, '--candidate <run>'),
    ...(options.project === undefined ? {} : { project: options.project }),
    metrics: [...new Set(metric)],
    limits: { minPassRate, minPasses, maxRegression, maxErrors, allowMissing },
    errors,
    level,
    anytime,
    groupBy,
    ...(humanMetric === undefined ? {} : { humanMetric }),
    wait,
    url,
  };
}

function planQuestion(options: Options, url: string): PlanQuestion {
  const [metric, ...others] = options.metric;
  if (others.length > 0) throw new InvalidArgumentError('a plan is for one metric.');
  if (options.comment !== undefined)
    throw new InvalidArgumentError('a plan is no comment: leave out --comment.');
  if (options.format === 'junit' || options.format === 'markdown' || options.github)
    throw new InvalidArgumentError('a plan has the formats table and json.');
  const { power, level, baseline, candidate, testset } = options;
  const { baselineMean, changeRate, standardDeviation } = options;
  return {
    metric: required(metric, '--metric <name>'),
    difference: required(options.difference, '--difference <size>'),
    power,
    level,
    baseline,
    candidate,
    baselineMean,
    changeRate,
    standardDeviation,
    testset,
    url,
  };
}

function required<Value>(value: Value | undefined, option: string): Value {
  if (value === undefined)
    throw new InvalidArgumentError(`required option '${option}' not specified`);
  return value;
}

/**
 * Reads a value that may come from the environment too; reports a fault as commander reports its
 * own.
 */
const orUsage =
  (command: Command) =>
  <Value>(read: () => Value): Value => {
    try {
      return read();
    } catch (error) {
      return command.error(`error: ${(error as Error).message}`);
    }
  };

const numberForm = /^-?\d*\.?\d+(e-?\d+)?$/i;

/** 0.9, or 90%. */
function share(text: string): number {
  const value = numberForm.test(text) ? Number(text) : text;
  if (isShare(value)) return shareOf(value);
  throw new InvalidArgumentError(`It must be ${shareForms}.`);
}

/** 3, or 5%. */
function allowance(text: string): Allowance {
  const value = /^\d+$/.test(text) ? Number(text) : text;
  if (isAllowance(value)) return value;
  throw new InvalidArgumentError(`It must be ${allowanceForms}.`);
}

interface Bounds {
  min?: number;
  max?: number;
  above?: number;
  below?: number;
}

const number =
  ({ min = -Infinity, max = Infinity, above = -Infinity, below = Infinity }: Bounds) =>
  (text: string): number => {
    const value = numberForm.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max && value > above && value < below) return value;
    const bounds = Object.entries({ 'at least': min, 'at most': max, above, below })
      .filter(([, bound]) => Number.isFinite(bound))
      .map(([word, bound]) => ` ${word} ${bound}`);
    throw new InvalidArgumentError(`It must be a number${bounds.join(' and')}.`);
  };

function keyOf(text: string | undefined): string {
  if (text === undefined)
    throw new InvalidArgumentError('there is no API key: set ASSAY_API_KEY, or give --key.');
  return apiKey(text);
}
