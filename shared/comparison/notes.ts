import { type Comparison, comparedOf, hasErrors, type MetricComparison } from './figures.ts';
import { hasUnknown, lackingSentence } from './gate/unknown.ts';
import { verdictSentence } from './sentence.ts';

interface Warning {
  code: string;
  message: string;
}

/** The warnings of a metric, with the scores that nobody knows first, wherever they are shown. */
export const warningsOf = (
  metric: Pick<MetricComparison, 'unknownScores' | 'warnings'>,
): Warning[] => [...unknownScores(metric), ...(metric.warnings ?? [])];

function unknownScores(metric: Pick<MetricComparison, 'unknownScores'>): Warning[] {
  if (!metric.unknownScores || !hasUnknown(metric)) return [];
  const sentence = lackingSentence(metric.unknownScores);
  const message = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  return [{ code: 'unknown_scores', message }];
}

/** Sentences on the metrics, on errors where there are some, and the warnings of the comparison. */
export function comparisonNotes(comparison: Comparison, candidate: string): string[] {
  const { metrics, warnings = [] } = comparison;
  const compared = comparedOf(hasErrors(comparison) ? comparison : { metrics });
  return [
    ...compared.flatMap((metric) =>
      [verdictSentence(metric, candidate), ...warningsOf(metric).map(({ message }) => message)].map(
        (sentence) => `${JSON.stringify(metric.name)}: ${sentence}`,
      ),
    ),
    ...warnings.map(({ message }) => message),
  ];
}
