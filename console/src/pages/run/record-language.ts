import { isNumeric, isValueOf, valueInWords } from '@assay/contracts/scale';
import {
  type FilterKind,
  type FilterLanguage,
  type KnownValue,
  manyValues,
  oneValue,
} from '../../parts/filter/language.ts';
import { shortId } from '../../text/names.ts';
import { breakdownKind, type RowState } from './breakdown-filter.ts';
import type { MetricSummary } from './run-summary.ts';

/** The state of a score by which records are filtered. */
export const recordOutcomes = [
  'pass',
  'fail',
  'failed',
  'pending',
  'awaited',
  'errored',
  'invalid',
] as const;

/** How the states are called where their word is the API's alone. */
const outcomeNames: Partial<Record<(typeof recordOutcomes)[number], { name: string }>> = {
  failed: { name: 'not scored' },
  errored: { name: 'error' },
  awaited: { name: 'waits for a person' },
  invalid: { name: 'does not fit' },
};

/** The filters of a run's records, as the URL has them. */
export interface RecordState extends RowState {
  text?: string | undefined;
  tags?: string[] | undefined;
  metricVersionId?: string | undefined;
  outcome?: (typeof recordOutcomes)[number] | undefined;
  value?: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  assignee?: string | undefined;
  hasAnnotations?: 'true' | 'false' | undefined;
  hasError?: 'true' | 'false' | undefined;
  testcaseId?: string | undefined;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** The part of a metric by which records are filtered. */
export type FilteredMetric = Pick<
  MetricSummary,
  'metricVersionId' | 'name' | 'outputType' | 'passingThreshold' | 'min' | 'max'
>;

/** No filter is in force, and nothing is searched. */
export const noRecordFilters: RecordState = {
  text: undefined,
  tags: undefined,
  metricVersionId: undefined,
  outcome: undefined,
  value: undefined,
  min: undefined,
  max: undefined,
  assignee: undefined,
  hasAnnotations: undefined,
  hasError: undefined,
  testcaseId: undefined,
  breakdownBy: undefined,
  breakdownValue: undefined,
  sort: undefined,
  order: undefined,
};

/** Everything that records can be filtered by. */
export function recordLanguage(
  state: RecordState,
  { metrics, tags, members }: { metrics: FilteredMetric[]; tags: string[]; members: KnownValue[] },
): FilterLanguage<RecordState> {
  const fixed: FilterKind<RecordState>[] = [
    manyValues<RecordState>('tags', {
      key: 'tag',
      name: 'Tag',
      values: tags.map((value) => ({ value })),
      example: 'regression',
    }),
    oneValue<RecordState>('assignee', {
      key: 'assignee',
      name: 'Assigned to',
      values: [{ value: 'me' }, ...members],
    }),
    yesOrNo('hasAnnotations', {
      key: 'annotations',
      name: 'Annotations',
      words: ['with', 'without'],
    }),
    // Not `error`: people paste messages that begin with it, to search for them.
    yesOrNo('hasError', { key: 'system', name: 'System', words: ['error', 'answered'] }),
    oneValue<RecordState>('testcaseId', {
      key: 'testcase',
      name: 'Testcase',
      values: [],
      example: 'its id',
    }),
    breakdownKind,
    orderKind,
  ];
  const named = withKeys(withUnknown(metrics, state), [
    ...fixed.map(({ key }) => key),
    'highest',
    'lowest',
  ]);
  return {
    kinds: [
      ...named.flatMap(metricKinds),
      ...fixed,
      ...(['desc', 'asc'] as const).map((order) => sortKind(named, order)),
    ],
    text: { parameter: 'text', name: 'Text', charactersMax: 256 },
  };
}

interface KeyedMetric extends FilteredMetric {
  key: string;
  isUnknown: boolean;
}

/** A metric that the run does not have has no name but its id. */
const titleOf = ({ key, isUnknown }: KeyedMetric): string =>
  isUnknown && key.length > 16 ? shortId(key) : key;

/** The metrics, and those that a link names and the run does not have: their filters show, too. */
function withUnknown(metrics: FilteredMetric[], state: RecordState) {
  const { metricVersionId, outcome, value, min, max, sort } = state;
  const isFiltered = outcome ?? value ?? min ?? max ?? metricVersionId;
  const named = [isFiltered && (metricVersionId ?? ''), sort?.replace(/^value:/, '')];
  const unknown = [...new Set(named.filter((id) => id !== undefined))].filter(
    (id) => !metrics.some((metric) => metric.metricVersionId === id),
  );
  return [
    ...metrics.map((metric) => ({ ...metric, isUnknown: false })),
    ...unknown.map((id) => ({
      metricVersionId: id,
      name: id === '' ? 'metric' : id,
      outputType: 'float' as const,
      passingThreshold: 0,
      isUnknown: true,
    })),
  ];
}

/** Gives each metric a key of its own: its name, with its version's id where that says too little. */
function withKeys(
  metrics: (FilteredMetric & { isUnknown: boolean })[],
  taken: string[],
): KeyedMetric[] {
  const keys = new Set(taken);
  return metrics.map((metric) => {
    let key = metric.name;
    if (key.trim() === '' || keys.has(key.toLowerCase()))
      key = `${key} (${metric.metricVersionId})`;
    keys.add(key.toLowerCase());
    return { ...metric, key };
  });
}

const withoutMetric = {
  metricVersionId: undefined,
  outcome: undefined,
  value: undefined,
  min: undefined,
  max: undefined,
} satisfies RecordState;

/** Records are filtered by one metric at a time: by its outcome or value, and by its bounds. */
function metricKinds(metric: KeyedMetric): FilterKind<RecordState>[] {
  const { key, metricVersionId, outputType, passingThreshold, isUnknown } = metric;
  const own = (state: RecordState): RecordState =>
    (state.metricVersionId ?? '') === metricVersionId ? state : {};
  const change = (state: RecordState, values: RecordState): Partial<RecordState> => {
    const { outcome, value, min, max } = { ...own(state), ...values };
    return [outcome, value, min, max].some((each) => each !== undefined)
      ? { outcome, value, min, max, metricVersionId: metricVersionId || undefined }
      : withoutMetric;
  };
  const isBoolean = !isNumeric(outputType);
  const shown = isBoolean || passingThreshold !== null ? recordOutcomes : recordOutcomes.slice(2);
  const outcomeKind: FilterKind<RecordState> = {
    key,
    name: titleOf(metric),
    isHidden: isUnknown,
    values: shown.map((value) => ({ value, ...outcomeNames[value] })),
    example: isBoolean ? 'fail' : outputType === 'int' ? '2..4' : '0.5..0.8',
    valuesIn: (state) => {
      const { outcome, value, min, max } = own(state);
      const range = min !== undefined && max !== undefined ? `${min}..${max}` : undefined;
      return [outcome, value, range].filter((each) => each !== undefined);
    },
    add: (state, written) => {
      const outcome = shown.find((one) => one === written);
      if (outcome) return change(state, { outcome });
      const range = /^(.+?)\.\.(.+)$/.exec(written);
      if (!range) return valueProblem(metric, written, shown) ?? change(state, { value: written });
      const [, min = '', max = ''] = range;
      return rangeProblem(metric, { min, max }) ?? change(state, { min, max });
    },
    remove: (state, value) => {
      if (value === state.outcome) return change(state, { outcome: undefined });
      if (value === state.value) return change(state, { value: undefined });
      return change(state, { min: undefined, max: undefined });
    },
  };
  if (isBoolean) return [outcomeKind];
  return [
    outcomeKind,
    ...(['min', 'max'] as const).map((bound): FilterKind<RecordState> => {
      const other = bound === 'min' ? 'max' : 'min';
      return {
        key,
        sign: bound === 'min' ? '>=' : '<=',
        name: `${titleOf(metric)} at ${bound === 'min' ? 'least' : 'most'}`,
        isHidden: isUnknown,
        values: [],
        example: outputType === 'int' ? '4' : '0.5',
        valuesIn: (state) => {
          const { [bound]: value, [other]: opposite } = own(state);
          return value !== undefined && opposite === undefined ? [value] : [];
        },
        add: (state, written) => {
          const bounds = { [other]: own(state)[other], [bound]: written };
          return rangeProblem(metric, bounds) ?? change(state, { [bound]: written });
        },
        remove: (state) => change(state, { [bound]: undefined }),
      };
    }),
  ];
}

/** As the contract writes numbers. */
const isNumber = (text: string): boolean =>
  text.length <= 32 && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

const nameOf = (outcome: (typeof recordOutcomes)[number]): string =>
  outcomeNames[outcome]?.name ?? outcome;

function valueProblem(
  metric: KeyedMetric,
  written: string,
  shown: readonly (typeof recordOutcomes)[number][],
): string | undefined {
  const { key, outputType, isUnknown } = metric;
  const number = isNumber(written) ? Number(written) : Number.NaN;
  const fits = isNumeric(outputType)
    ? isUnknown || isValueOf(metric, number)
    : written === 'true' || written === 'false';
  return fits
    ? undefined
    : `“${key}” is not “${written}”: it can be ${shown.map(nameOf).join(', ')}, or ${valueInWords(metric)}.`;
}

function rangeProblem(
  { key, outputType }: KeyedMetric,
  { min, max }: { min?: string | undefined; max?: string | undefined },
): string | undefined {
  if (!isNumeric(outputType)) return `“${key}” has no numbers: write ${key}:pass or ${key}:fail.`;
  const wrong = [min, max].find((bound) => bound !== undefined && !isNumber(bound));
  if (wrong !== undefined) return `“${wrong}” is not a number, such as 0.5.`;
  return min !== undefined && max !== undefined && Number(min) > Number(max)
    ? `Nothing is at least ${min} and at most ${max}.`
    : undefined;
}

/** A filter of which one word says that there is something, and the other that there is none. */
function yesOrNo(
  parameter: 'hasAnnotations' | 'hasError',
  { words, ...names }: { key: string; name: string; words: [yes: string, no: string] },
): FilterKind<RecordState> {
  const [yes, no] = words;
  return {
    ...names,
    values: words.map((value) => ({ value })),
    valuesIn: ({ [parameter]: value }) => (value ? [value === 'true' ? yes : no] : []),
    add: (_state, value) => ({ [parameter]: value === yes ? 'true' : 'false' }),
    remove: () => ({ [parameter]: undefined }),
  };
}

const orderKind: FilterKind<RecordState> = {
  key: 'order',
  name: 'Order',
  values: [
    { value: 'newest', name: 'newest first' },
    { value: 'oldest', name: 'oldest first' },
  ],
  valuesIn: ({ sort, order }) =>
    sort === undefined && order ? [order === 'desc' ? 'newest' : 'oldest'] : [],
  add: (_state, value) => ({ sort: undefined, order: value === 'newest' ? 'desc' : 'asc' }),
  remove: () => ({ order: undefined }),
};

/** The order by the values of a metric: the highest first, or the lowest. */
function sortKind(metrics: KeyedMetric[], order: 'asc' | 'desc'): FilterKind<RecordState> {
  return {
    key: order === 'desc' ? 'highest' : 'lowest',
    name: order === 'desc' ? 'Highest first' : 'Lowest first',
    values: metrics.filter(({ isUnknown }) => !isUnknown).map(({ key }) => ({ value: key })),
    valuesIn: (state) =>
      state.sort !== undefined && (state.order ?? 'asc') === order
        ? metrics
            .filter(({ metricVersionId }) => state.sort?.replace(/^value:/, '') === metricVersionId)
            .map(({ key }) => key)
        : [],
    add: (_state, value) => {
      const { metricVersionId } = metrics.find(({ key }) => key === value)!;
      return { sort: `value:${metricVersionId}`, order };
    },
    remove: () => ({ sort: undefined, order: undefined }),
  };
}
