import type { ItemOf } from '../../api/operations.ts';
import { formatCount, visible } from '../../text/format.ts';

export type MonitorItem = ItemOf<'/projects/:projectId/monitors'>;
type Counts = MonitorItem['days'][number]['counts'];

/** The filter of a monitor, in words. */
export function filterText({ filter }: Pick<MonitorItem, 'filter'>): string {
  const { serviceName, name, spanName, model, tags, metadata, hasError, minDurationMs } = filter;
  const parts = [
    serviceName && `service ${serviceName}`,
    name && `name ${name}`,
    spanName && `span ${spanName}`,
    model && `model ${model}`,
    ...(tags ?? []).map((tag) => `tag ${tag}`),
    ...Object.entries(metadata ?? {}).map(([key, value]) => `${key} ${value}`),
    hasError === true && 'with errors',
    hasError === false && 'without errors',
    minDurationMs && `${formatCount(minDurationMs)} ms or longer`,
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

/** A share as a person writes it: 0.05 is 5 %. */
export const percentText = (share: number): string => `${Number((share * 100).toFixed(4))} %`;
