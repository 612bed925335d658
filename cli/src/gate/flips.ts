import { type Client, RequestFailure } from '@assay/client/client';
import type { ItemOf } from '@assay/client/operations';
import { type PreviewOf, previewed } from '@assay/client/preview-of';
import { unitOf } from '@assay/comparison/figures';
import type { MetricFinding } from '@assay/comparison/gate/gate';

/** A testcase whose value changed, with the beginnings of its texts. */
export interface Flip {
  testcaseId: string;
  direction: 'regressed' | 'improved';
  baselineValue: boolean | number;
  candidateValue: boolean | number;
  inputs: string;
  expected: string;
  baselineOutputs: string;
  candidateOutputs: string;
}

/** The largest changes of one metric, in both directions. */
export interface MetricFlips {
  metricId: string;
  name: string;
  /** Of a boolean, true is then the bad value. */
  lowerIsBetter?: true | undefined;
  /** How many there are of each direction, of which `flips` are the largest. */
  regressed: number;
  improved: number;
  flips: Flip[];
}

type Pair = PreviewOf<ItemOf<'/comparisons/pairs'>>;

/** Metrics whose changes are shown, changes of each direction, and characters of each text. */
const metricsMax = 5;
const flipsMax = 5;
const charactersMax = 200;

/** Reads the largest changes of the metrics that have some; those that did not pass come first. */
export async function readFlips({
  client,
  baselineRunId,
  candidateRunId,
  findings,
  errors,
}: {
  client: Client;
  baselineRunId: string;
  candidateRunId: string;
  findings: readonly MetricFinding[];
  errors: 'worst' | 'exclude';
}): Promise<MetricFlips[]> {
  const changed = findings
    .toSorted((one, other) => Number(one.outcome === 'passed') - Number(other.outcome === 'passed'))
    .flatMap(({ metric }) => metric ?? [])
    .filter((metric) => unitOf(metric) !== 'measured' && metric.regressed + metric.improved > 0);
  const read = async (metricId: string, direction: Flip['direction']): Promise<Flip[]> => {
    const query = {
      baselineRunId,
      candidateRunId,
      metricId,
      show: direction,
      order: 'largest',
      limit: flipsMax,
      errors,
      preview: charactersMax,
    } as const;
    // They are only help: a comparison is judged without them.
    const { data } = await client
      .request('GET', '/comparisons/pairs', { query })
      .catch((error: unknown) => {
        if (error instanceof RequestFailure) return { data: [] };
        throw error;
      });
    return previewed(data).flatMap((pair) => flipOf(pair, direction));
  };
  const flips: MetricFlips[] = [];
  for (const { metricId, name, lowerIsBetter, regressed, improved } of changed.slice(
    0,
    metricsMax,
  )) {
    const [down, up] = await Promise.all([
      regressed > 0 ? read(metricId, 'regressed') : [],
      improved > 0 ? read(metricId, 'improved') : [],
    ]);
    const direction = lowerIsBetter ? { lowerIsBetter } : {};
    flips.push({ metricId, name, ...direction, regressed, improved, flips: [...down, ...up] });
  }
  return flips;
}

/** A testcase that one of the runs has not scored is no change. */
function flipOf(
  { testcaseId, baselineValue, candidateValue, baseline, candidate }: Pair,
  direction: Flip['direction'],
): Flip[] {
  if (baseline === null || candidate === null) return [];
  if (baselineValue === null || candidateValue === null) return [];
  return [
    {
      testcaseId,
      direction,
      baselineValue,
      candidateValue,
      inputs: textOf(candidate.inputs),
      expected: textOf(candidate.expected),
      baselineOutputs: answerOf(baseline),
      candidateOutputs: answerOf(candidate),
    },
  ];
}

/** What the system returned, or why it failed. */
function answerOf({ error, outputs }: NonNullable<Pair['candidate']>): string {
  if (!error) return textOf(outputs);
  const { name = 'Error', message } = error;
  return `the system failed: ${(message ? `${name}: ${message}` : name).slice(0, charactersMax)}`;
}

/** The only value of an object alone, as people would write it down; anything else as its JSON. */
function textOf({ text, isCut }: { text: string; isCut: boolean }): string {
  if (isCut) return `${text}…`;
  const value: unknown = JSON.parse(text);
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [];
  if (values.length === 0) return '';
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : text;
}
