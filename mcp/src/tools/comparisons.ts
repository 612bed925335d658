import { baselineForms, findBaseline, findRun } from '@assay/client/find';
import { isId } from '@assay/client/named';
import type { ItemOf } from '@assay/client/operations';
import { type PreviewOf, previewed } from '@assay/client/preview-of';
import { isSystemMetricId } from '@assay/client/system-metrics';
import { compareRuns as compareRunsOf } from '@assay/comparison/ask';
import { breakdownNote } from '@assay/comparison/breakdown';
import {
  type Comparison,
  decidingFigures,
  hasErrors,
  type MetricComparison,
} from '@assay/comparison/figures';
import { warningsOf } from '@assay/comparison/notes';
import type { SystemError } from '@assay/contracts/run-records';
import { z } from 'zod';
import { fit } from '../answer.ts';
import { label } from '../marks.ts';
import { findRunMetric, partOf, readRun } from '../run-metrics.ts';
import { defineTool, items, link, notice, summary, type ToolContext } from '../tool.ts';
import { markedWarnings } from '../warnings.ts';

type Pair = PreviewOf<ItemOf<'/comparisons/pairs'>>;

const metricsMax = 20;
const flipsMax = 6;
/** Values of a breakdown that are shown. */
const breakdownRowsMax = 30;

export const compareRuns = defineTool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Compares a candidate run with a baseline of the same testset: for each metric whether it is better, worse or undecided, with interval and groups, by the scores of people where these correct a judge; and the testcases that changed most.',
  effect: 'read',
  input: z.object({
    baselineRunId: z
      .string()
      .min(1)
      .max(300)
      .describe(`The run that is compared with: ${baselineForms}.`),
    candidateRunId: z
      .string()
      .min(1)
      .max(300)
      .describe('The run that is judged: an id, a name, branch:NAME or latest:NAME.'),
    metricIds: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(metricsMax)
      .optional()
      .describe('Ids or names of metrics; all that both runs have, when left out.'),
    breakdownBy: z
      .string()
      .max(1000)
      .optional()
      .describe(
        'A JSON Pointer into inputs or metadata, such as /inputs/topic, or tags: also compares the testcases of each value by themselves.',
      ),
  }),
  output: z.object({
    summary,
    notice,
    link,
    metrics: items,
    errors: z.looseObject({}).describe('How often the systems failed, compared like a metric.'),
    warnings: items,
    largestChanges: items,
    breakdown: z
      .looseObject({})
      .optional()
      .describe('With breakdownBy: the verdict of each metric for each value.'),
  }),
  async run({ metricIds: wanted, breakdownBy, ...named }, context) {
    const { api, links, marks } = context;
    const { baselineRunId, candidateRunId, told } = await findRuns(named, context);
    const metricIds = wanted && (await findMetricIds(wanted, candidateRunId, context));
    const comparison = await compareRunsOf(api, {
      baselineRunId,
      candidateRunId,
      ...(metricIds ? { metricIds } : {}),
      ...(breakdownBy === undefined ? {} : { breakdownBy }),
    });
    const metrics = comparison.metrics.slice(0, metricsMax);
    const changed = metrics.find(({ improved, regressed }) => improved + regressed > 0);
    const [pairs, projectId, baseline, candidate] = await Promise.all([
      changed ? readPairs(changed, { baselineRunId, candidateRunId }, context) : [],
      links.projectOfRun(candidateRunId),
      readRun(api, baselineRunId),
      readRun(api, candidateRunId),
    ]);
    const warnings = [
      ...told.map((message) => ({ code: 'choice_of_baseline', message })),
      ...(comparison.warnings ?? []),
      ...metrics.flatMap((metric) =>
        warningsOf(metric).map((warning) => ({ ...warning, metric: label(metric.name, 60) })),
      ),
      ...(comparison.errors.warnings ?? []),
    ];
    const parts = { baseline: partOf(baseline), candidate: partOf(candidate) };
    return fit((characters) => ({
      summary: [
        ...Object.entries(parts).flatMap(([side, part]) =>
          part === undefined ? [] : [`The ${side} is ${part}.`],
        ),
        ...metrics
          .slice(0, 5)
          .map((one) => `${JSON.stringify(label(one.name, 60))}: ${one.sentence}`),
        ...(hasErrors(comparison) ? [`"errors": ${comparison.errors.sentence}`] : []),
      ].join(' '),
      notice: marks.notice,
      link: links.comparison(projectId, { baselineRunId, candidateRunId }),
      baselinePart: parts.baseline,
      candidatePart: parts.candidate,
      metrics: metrics.map((metric) => ({
        metricId: metric.metricId,
        name: label(metric.name, Math.min(characters, 100)),
        verdict: decidingFigures(metric).verdict,
        decidedBy: decidingFigures(metric).decidedBy,
        sentence: metric.sentence,
        baselineMean: metric.baselineMean,
        candidateMean: metric.candidateMean,
        groups: metric.groups,
      })),
      errors: {
        verdict: comparison.errors.verdict,
        sentence: comparison.errors.sentence,
        baselineRate: comparison.errors.baselineMean,
        candidateRate: comparison.errors.candidateMean,
      },
      warnings: markedWarnings(warnings, marks, Math.min(characters, 300)),
      ...(comparison.breakdown
        ? { breakdown: shownBreakdown(comparison.breakdown, marks, characters) }
        : {}),
      changesOfMetric: changed?.metricId,
      largestChanges: pairs.map((pair) => ({
        testcaseId: pair.testcaseId,
        baselineValue: pair.baselineValue,
        candidateValue: pair.candidateValue,
        baselineRecord: pair.baseline?.id,
        candidateRecord: pair.candidate?.id,
        link: pair.candidate ? links.of(projectId, 'records', pair.candidate.id) : undefined,
        inputs: marks.data(
          (pair.candidate ?? pair.baseline)?.inputs.text ?? '',
          Math.min(characters, 250),
        ),
        baselineOutputs: marks.data(pair.baseline?.outputs.text ?? '', Math.min(characters, 250)),
        baselineError: errorOf(pair.baseline, marks, characters),
        candidateOutputs: marks.data(pair.candidate?.outputs.text ?? '', Math.min(characters, 250)),
        candidateError: errorOf(pair.candidate, marks, characters),
      })),
    }));
  },
});

/** The largest values, whose texts are of users. */
const shownBreakdown = (
  breakdown: NonNullable<Comparison['breakdown']>,
  marks: ToolContext['marks'],
  characters: number,
) => ({
  note: breakdownNote(breakdown),
  rows: breakdown.rows.slice(0, breakdownRowsMax).map(({ value, testcases, metrics }) => ({
    value: value === null ? null : marks.data(value, Math.min(characters, 100)),
    testcases,
    metrics: metrics.slice(0, metricsMax).map(({ metricId, paired, difference, verdict }) => ({
      metricId,
      paired,
      difference,
      verdict,
    })),
  })),
});

/** Why the system gave no answer for a record; undefined where it gave one. */
const errorOf = (
  record: { error?: SystemError | null | undefined } | null | undefined,
  marks: ToolContext['marks'],
  characters: number,
): string | undefined =>
  record?.error
    ? marks.data(`${record.error.name}: ${record.error.message}`, Math.min(characters, 250))
    : undefined;

/** The ids of the two runs. @throws LookupFailure */
async function findRuns(
  { baselineRunId, candidateRunId }: { baselineRunId: string; candidateRunId: string },
  { api: client }: ToolContext,
): Promise<{ baselineRunId: string; candidateRunId: string; told: string[] }> {
  const told: string[] = [];
  // A comparison by ids says itself that a run is not there.
  if (isId(baselineRunId) && isId(candidateRunId)) return { baselineRunId, candidateRunId, told };
  const project = undefined;
  const { id, testsetId, systemId } = await findRun({ client, wanted: candidateRunId, project });
  const tell = (sentence: string) => told.push(sentence);
  const place = { testsetId, systemId, ownRunId: id, tell };
  const before = await findBaseline({ client, wanted: baselineRunId, project, ...place });
  return { baselineRunId: before.id, candidateRunId: id, told };
}

/** The ids of metrics of the candidate, or of the measures of its records. @throws ToolFailure */
const findMetricIds = (
  wanted: readonly string[],
  runId: string,
  { api }: ToolContext,
): Promise<string[]> =>
  Promise.all(
    wanted.map(async (name) =>
      isSystemMetricId(name) ? name : (await findRunMetric(api, runId, name)).metricId,
    ),
  );

async function readPairs(
  { metricId }: MetricComparison,
  runs: { baselineRunId: string; candidateRunId: string },
  { api }: ToolContext,
): Promise<Pair[]> {
  const query = {
    ...runs,
    metricId,
    show: 'changed',
    order: 'largest',
    limit: flipsMax,
    preview: 250,
  } as const;
  return previewed(await api.request('GET', '/comparisons/pairs', { query })).data;
}
