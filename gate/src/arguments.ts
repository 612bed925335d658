import { readConfig } from '@assay/runtime/config';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { Limits } from './rules.ts';

const formats = ['table', 'json', 'junit'] as const;
type Format = (typeof formats)[number];

/** The comparison that is asked for, and the limits for its result. */
export interface Question {
  baseline: string;
  candidate: string;
  /** Names or ids; none: all that both runs have. */
  metrics: string[];
  limits: Limits;
  level: number;
  /** Goes by the figures that hold however often one looks. */
  anytime: boolean;
  groupBy?: string;
  /** Seconds to wait until both runs are complete. */
  wait: number;
  /** With the version. */
  url: string;
}

interface GateArguments extends Question {
  key: string;
  format: Format;
  /** Where the report is written; the table goes to standard output then. */
  output?: string;
}

const defaultUrl = 'http://127.0.0.1:4400';

const gateConfig = {
  ASSAY_URL: z.string().default(defaultUrl),
  ASSAY_API_KEY: z.string().optional(),
};

const waitSecondsMax = 24 * 60 * 60;

const rules = `
Exit codes:
  0  better, or undecided within the limits
  1  worse, in any metric: the verdict is "worse" (adjusted p at most 1 - level, and a negative difference), or the candidate's
     pass rate is below --min-pass-rate, or the difference is below minus --max-regression
  2  could not tell: no such run, metric or key, no answer, records or scores that are missing, fewer than two pairs, wrong arguments

  The limits make the gate stricter, never more lenient. --max-regression holds against the difference itself; where only its
  interval reaches past the limit, the table says that a larger regression cannot be excluded, and the gate passes.
  Both limits are in the metric's own unit, as the API tells it: 0.05 of a pass rate is five points of a hundred.

The reason is one sentence on standard error. The key is better given as ASSAY_API_KEY: others on the machine see arguments.`;

/**
 * Parses the arguments and the environment. Help ends the process with 0; invalid arguments are
 * reported with the usage, and end it with 2.
 */
export function readArguments(argv: readonly string[]): GateArguments {
  const environment = readConfig(gateConfig);
  const program = new Command('npm run gate --')
    .description(
      'Compares a candidate run with a baseline run, and ends with 0, 1 or 2: a gate for CI.',
    )
    .requiredOption('--baseline <run>', 'the run to compare with')
    .requiredOption('--candidate <run>', 'the run that is to pass')
    .addOption(
      new Option('--metric <name>', 'a metric by name or id; repeatable')
        .argParser(collect)
        .default([], 'all that both runs have'),
    )
    .option(
      '--min-pass-rate <share>',
      "the least that the candidate's pass rate may be, 0 to 1",
      number({ min: 0, max: 1 }),
    )
    .option(
      '--max-regression <size>',
      'the most that the candidate may be lower, 0 to 4',
      number({ min: 0, max: 4 }),
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
      '--wait <seconds>',
      'how long to wait until both runs are complete',
      number({ min: 0, max: waitSecondsMax }),
      0,
    )
    .addOption(new Option('--format <format>', 'of the report').choices(formats).default('table'))
    .option('--output <file>', 'write the report there, and the table to standard output')
    .option('--url <url>', `where Assay is (default: ASSAY_URL, else ${defaultUrl})`)
    .option('--key <key>', 'API key (default: ASSAY_API_KEY)')
    .addHelpText('after', rules)
    .allowExcessArguments(false)
    .showHelpAfterError()
    .exitOverride();
  try {
    const { metric, minPassRate, maxRegression, url, key, ...given } = program
      .parse(argv, { from: 'user' })
      .opts();
    const checked = orUsage(program);
    return {
      ...(given as Pick<
        GateArguments,
        'anytime' | 'baseline' | 'candidate' | 'level' | 'groupBy' | 'wait' | 'format' | 'output'
      >),
      metrics: [...new Set<string>(metric)],
      limits: { minPassRate, maxRegression },
      url: checked(() => baseUrl(url ?? environment.ASSAY_URL)),
      key: checked(() => apiKey(key ?? environment.ASSAY_API_KEY)),
    };
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    throw error;
  }
}

/**
 * Reads a value that may come from the environment too; reports a fault as commander reports its
 * own.
 */
const orUsage =
  (program: Command) =>
  <Value>(read: () => Value): Value => {
    try {
      return read();
    } catch (error) {
      return program.error(`error: ${(error as Error).message}`);
    }
  };

const collect = (value: string, before: string[]): string[] => [...before, value];

interface Bounds {
  min?: number;
  max?: number;
  above?: number;
  below?: number;
}

const number =
  ({ min = -Infinity, max = Infinity, above = -Infinity, below = Infinity }: Bounds) =>
  (text: string): number => {
    const value = /^-?\d*\.?\d+(e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max && value > above && value < below) return value;
    throw new InvalidArgumentError('This number is not in the range.');
  };

/** With or without a final slash or the version, as people copy it. */
function baseUrl(text: string): string {
  const isHttp = /^https?:/i.test(text) && URL.canParse(text);
  if (!isHttp)
    throw new InvalidArgumentError(
      'the URL must be an address that begins with http:// or https://.',
    );
  const { origin, pathname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash)
    throw new InvalidArgumentError('the URL must have no user, query or fragment.');
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v2$/, '')}/v2`;
}

/** Checks that the key can be sent in a header. The errors do not repeat the key itself. */
function apiKey(text: string | undefined): string {
  if (text === undefined)
    throw new InvalidArgumentError('there is no API key: set ASSAY_API_KEY, or give --key.');
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new InvalidArgumentError('the API key is empty, or has characters that no key has.');
  return key;
}
