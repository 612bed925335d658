import type { Names } from '../../api/names.ts';
import { type FilterLanguage, manyValues, oneValue } from '../../parts/filter/language.ts';
import { type RunStatus, runStatuses } from '../../parts/status.tsx';

const sources = ['API', 'Monitor', 'Playground', 'Kickoff'] as const;

/** The filters of the list of runs, as the URL has them. */
export interface RunListState {
  name?: string | undefined;
  status?: RunStatus | undefined;
  label?: string[] | undefined;
  testsetId?: string | undefined;
  systemVersionId?: string | undefined;
  createdBy?: string | undefined;
  source?: (typeof sources)[number] | undefined;
}

/** Everything that runs can be filtered by. */
export const runLanguage = ({
  names: { systems, testsets, members },
  labels,
}: {
  names: Pick<Names, 'systems' | 'testsets' | 'members'>;
  labels: string[];
}): FilterLanguage<RunListState> => ({
  kinds: [
    oneValue('status', {
      key: 'status',
      name: 'Status',
      values: Object.entries(runStatuses).map(([value, { text }]) => ({ value, name: text })),
    }),
    oneValue('testsetId', {
      key: 'testset',
      name: 'Testset',
      values: testsets.map(({ id, name }) => ({ value: id, name })),
    }),
    oneValue('systemVersionId', {
      key: 'version',
      name: 'System version',
      values: systems.flatMap((system) =>
        system.versions.map(({ id, name }) => ({ value: id, name: `${system.name} ${name}` })),
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
  ],
  text: { parameter: 'name', name: 'Name', charactersMax: 256 },
});
