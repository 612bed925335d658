import type { ItemOf } from '@assay/client/operations';
import { isNumeric } from '@assay/contracts/scale';
import type { Result } from '../../api/run-results.ts';
import { formatCount, formatMean, formatShare, visible } from '../../text/format.ts';

export type MonitorItem = ItemOf<'/projects/:projectId/monitors'>;
type Counts = MonitorItem['days'][number]['counts'];

/** The filter of a monitor, in words. */
export function filterText({ filter }: Pick<MonitorItem, 'filter'>): string {
  const {
    serviceName,
    name,
    spanName,
    attributes,
    model,
    tags,
    metadata,
    hasError,
    minDurationMs,
    rating,
  } = filter;
  const parts = [
    serviceName && `service ${serviceName}`,
    name && `name ${name}`,
    spanName && `span ${spanName}`,
    ...Object.entries(attributes ?? {}).map(([key, value]) => `${key} ${value}`),
    model && `model ${model}`,
    ...(tags ?? []).map((tag) => `tag ${tag}`),
    ...Object.entries(metadata ?? {}).map(([key, value]) => `${key} ${value}`),
    hasError === true && 'with errors',
    hasError === false && 'without errors',
    minDurationMs && `${formatCount(minDurationMs)} ms or longer`,
    rating === true && 'rated good',
    rating === false && 'rated bad',
  ].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? 'every trace' : visible(parts.join(', '));
}

/** The sampled traces that are no new records, in words; empty where there are none. */
export function leftOutText({ repeated, overLimit, empty, refused }: Counts): string {
  const parts = [
    [repeated, 'recorded before'],
    [overLimit, 'over the limit'],
    [empty, 'without content'],
    [refused, 'refused'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${formatCount(count)} ${text}`)
    .join(', ');
}

/** The share of booleans that pass or the mean of numbers, with its interval. */
export function rateText({ outputType, lowerIsBetter, mean, confidenceInterval }: Result): string {
  if (mean === null) return '–';
  const isShare = !isNumeric(outputType);
  const write = isShare ? formatShare : formatMean;
  const unit = !isShare ? '' : lowerIsBetter ? ' true' : ' pass';
  const text = `${write(mean)}${unit}`;
  if (!confidenceInterval) return text;
  return `${text} (${write(confidenceInterval.low)} to ${write(confidenceInterval.high)})`;
}

/** The attributes of a filter, one on each line. */
export const attributesText = (attributes: MonitorItem['filter']['attributes']): string =>
  Object.entries(attributes ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');

/** Reads attributes from lines; undefined where a line is none. */
export function attributesOf(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
}
