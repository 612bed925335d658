import type { Names } from '../../api/names.ts';
import {
  type FilterKind,
  type FilterLanguage,
  manyValues,
  oneValue,
} from '../../parts/filter/language.ts';
import { type RunStatus, runStatuses } from '../../parts/status.tsx';
import { shortId } from '../../text/names.ts';
import { type MadeState, madeKinds } from './made-kinds.ts';
import { type MeanMetric, type MeanState, meanKinds } from './mean-kinds.ts';

const sources = ['API', 'Monitor', 'Playground', 'Kickoff'] as const;

/** The filters of the list of runs, as the URL has them. */
export interface RunListState extends MadeState, MeanState {
  name?: string | undefined;
  status?: RunStatus | undefined;
  label?: string[] | undefined;
  testsetId?: string | undefined;
  systemVersionId?: string | undefined;
  createdBy?: string | undefined;
  source?: (typeof sources)[number] | undefined;
}

/** True where not all runs are listed; their order is no filter. */
export const isFilteredBy = ({
  sort: _sort,
  order: _order,
  metricId: _metricId,
  ...filters
}: RunListState): boolean => Object.keys(filters).length > 0;

/** Everything that runs can be filtered by. */
export const runLanguage = ({
  names: { systems, testsets, members },
  written = { testsets: [], versions: [] },
  nameOf = shortId,
  metrics,
  labels,
  state,
}: {
  names: Pick<Names, 'systems' | 'testsets' | 'members'>;
  /** Further ones, which were found by the text that is written. */
  written?: { testsets: NamedValue[]; versions: NamedValue[] };
  /** Of a testset or a version that is in force, and not among the names. */
  nameOf?: (id: string) => string;
  metrics: MeanMetric[];
  labels: string[];
  state: RunListState;
}): FilterLanguage<RunListState> => ({
  kinds: [
    ...madeKinds(state),
    ...meanKinds(metrics, state),
    oneValue('status', {
      key: 'status',
      name: 'Status',
      values: Object.entries(runStatuses).map(([value, { text }]) => ({ value, name: text })),
    }),
    oneValue('testsetId', {
      key: 'testset',
      name: 'Testset',
      values: withChosen(
        [...testsets.map(({ id, name }) => ({ value: id, name })), ...written.testsets],
        { chosen: state.testsetId, nameOf },
      ),
    }),
    oneValue('systemVersionId', {
      key: 'version',
      name: 'System version',
      values: withChosen(
        [
          ...systems.flatMap((system) =>
            system.versions.map(({ id, name }) => ({ value: id, name: `${system.name} ${name}` })),
          ),
          ...written.versions,
        ],
        { chosen: state.systemVersionId, nameOf },
      ),
    }),
    oneValue('createdBy', {
      key: 'by',
      name: 'Made by',
      values: [
        { value: 'me' },
        ...members.map(({ userId, name, email }) => ({ value: userId, name: name ?? email })),
      ],
    }),
    manyValues('label', {
      key: 'label',
      name: 'Label',
      values: labels.map((value) => ({ value })),
      example: 'commit:4f7c2aa',
      check: (value) =>
        /^[^:]{1,64}:[\s\S]{1,256}$/u.test(value)
          ? undefined
          : 'A label is a key and a value, such as label:commit:4f7c2aa.',
    }),
    oneValue('source', {
      key: 'source',
      name: 'Source',
      values: sources.map((value) => ({ value })),
    }),
    orderKind,
  ],
  text: { parameter: 'name', name: 'Name', charactersMax: 256 },
});

interface NamedValue {
  value: string;
  name: string;
}

/** The values, each once, with one that is in force and not among them, by its name. */
function withChosen(
  values: NamedValue[],
  { chosen, nameOf }: { chosen: string | undefined; nameOf: (id: string) => string },
): NamedValue[] {
  const all = new Map(values.map((each) => [each.value, each]));
  if (chosen !== undefined && !all.has(chosen))
    all.set(chosen, { value: chosen, name: nameOf(chosen) });
  return [...all.values()];
}

const orders = {
  newest: { sort: undefined, order: 'desc' },
  oldest: { sort: undefined, order: 'asc' },
  'a-z': { sort: 'name', order: undefined },
  'z-a': { sort: 'name', order: 'desc' },
} as const;

const orderKind: FilterKind<RunListState> = {
  key: 'order',
  name: 'Order',
  values: [
    { value: 'newest', name: 'newest first' },
    { value: 'oldest', name: 'oldest first' },
    { value: 'a-z', name: 'names from A to Z' },
    { value: 'z-a', name: 'names from Z to A' },
  ],
  valuesIn: ({ sort, order }) => {
    if (sort === 'name') return [order === 'desc' ? 'z-a' : 'a-z'];
    if (sort === 'mean' || (sort === undefined && order === undefined)) return [];
    return [order === 'asc' ? 'oldest' : 'newest'];
  },
  add: (_state, value) => orders[value as keyof typeof orders],
  remove: () => ({ sort: undefined, order: undefined }),
};
