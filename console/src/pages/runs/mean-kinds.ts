import { isNumeric } from '@assay/contracts/scale';
import type { FilterKind } from '../../parts/filter/language.ts';
import { formatSetShare } from '../../text/format.ts';
import type { OutputType } from '../../text/metrics.ts';

/** The metric by whose mean runs are filtered or sorted. */
export interface MeanState {
  metricId?: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  sort?: 'createdAt' | 'name' | 'mean' | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** A metric that runs of the list have. */
export interface MeanMetric {
  metricId: string;
  name: string;
  outputType: OutputType;
}

/** The mean of each metric: `Helpful>=3`, `Correct<=60%`; and the order by one. */
export const meanKinds = (metrics: MeanMetric[], state: MeanState): FilterKind<MeanState>[] => [
  ...withUnknown(metrics, state).flatMap((metric) => [
    boundKind('min', '>=', metric),
    boundKind('max', '<=', metric),
  ]),
  {
    key: 'sorted',
    name: 'Order',
    values: [],
    isHidden: true,
    valuesIn: ({ sort, order, metricId }) => {
      if (sort !== 'mean') return [];
      const name = withUnknown(metrics, state).find((one) => one.metricId === metricId)?.name;
      return [`${order === 'asc' ? 'lowest' : 'highest'} ${name ?? 'mean'} first`];
    },
    add: () => 'Runs are sorted by a metric by the head of its column.',
    remove: ({ min, max }) => ({
      sort: undefined,
      order: undefined,
      ...(min === undefined && max === undefined ? { metricId: undefined } : {}),
    }),
  },
];

function boundKind(
  bound: 'min' | 'max',
  sign: '>=' | '<=',
  { metricId, name, outputType }: MeanMetric,
): FilterKind<MeanState> {
  return {
    key: name,
    sign,
    name: `${name} at ${bound === 'min' ? 'least' : 'most'}`,
    values: [],
    example: isNumeric(outputType) ? '0.5' : '90%',
    isWritten: true,
    valuesIn: (state) =>
      state.metricId === metricId && state[bound] !== undefined
        ? [writtenValue(state[bound], outputType)]
        : [],
    add: (state, written) => {
      const value = numberIn(written);
      if (value === undefined) return `“${written}” is no number: write 0.9 or 90%.`;
      const kept = state.metricId === metricId ? {} : { min: undefined, max: undefined };
      return { ...kept, metricId, [bound]: String(value) };
    },
    remove: (state) => {
      const other = bound === 'min' ? state.max : state.min;
      const isNeeded = other !== undefined || state.sort === 'mean';
      return { [bound]: undefined, ...(isNeeded ? {} : { metricId: undefined }) };
    },
  };
}

const writtenValue = (value: string, outputType: OutputType): string =>
  isNumeric(outputType) || Number.isNaN(Number(value)) ? value : formatSetShare(Number(value));

/** A number, or a percentage: 90% is 0.9. */
function numberIn(written: string): number | undefined {
  const [, digits, percent] = /^(-?\d+(?:\.\d+)?)\s*(%?)$/.exec(written.trim()) ?? [];
  if (digits === undefined) return undefined;
  return percent ? Number((Number(digits) / 100).toPrecision(12)) : Number(digits);
}

/** A link may name a metric that no run of the list has: its filter shows, too. */
function withUnknown(metrics: MeanMetric[], { metricId }: MeanState): MeanMetric[] {
  if (metricId === undefined || metrics.some((metric) => metric.metricId === metricId))
    return metrics;
  return [...metrics, { metricId, name: metricId, outputType: 'float' }];
}
