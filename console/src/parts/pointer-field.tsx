import { escapeSegment } from '@assay/json/pointer';
import { useId } from 'react';
import { useReading } from '../api/query.ts';
import { Field } from './field.tsx';

/** A place in the inputs or the metadata of testcases, by a field of the testset or a JSON Pointer. */
export function PointerField({
  label,
  title,
  testsetId,
  others = [],
  value,
  change,
}: {
  label: string;
  title: string;
  testsetId: string | null | undefined;
  /** What else can be chosen. */
  others?: string[];
  /** The JSON Pointer of the field in a record. */
  value: string | undefined;
  change: (pointer: string | undefined) => void;
}) {
  const list = useId();
  const testset = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: typeof testsetId === 'string',
  });
  const { inputs = [], metadata = [] } = testset.data?.fieldMapping ?? {};
  const pointers = [
    ...inputs.map((name) => `/inputs/${escapeSegment(name)}`),
    ...metadata.map((name) => `/metadata/${escapeSegment(name)}`),
  ];
  /** A name alone is that of a field of the testset. */
  const take = (typed: string) => {
    const wanted = typed.trim();
    const named = others.includes(wanted)
      ? wanted
      : pointers.find((pointer) => pointer.endsWith(`/${escapeSegment(wanted)}`));
    const taken =
      wanted === '' ? undefined : wanted.startsWith('/') ? wanted : (named ?? `/${wanted}`);
    if (taken !== value) change(taken);
  };
  return (
    <>
      <Field
        key={value}
        label={label}
        placeholder="/inputs/topic"
        list={list}
        defaultValue={value ?? ''}
        title={title}
        onBlur={({ target }) => take(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') take(currentTarget.value);
        }}
      />
      <datalist id={list}>
        {[...others, ...pointers].map((pointer) => (
          <option key={pointer} value={pointer} />
        ))}
      </datalist>
    </>
  );
}

/** The field, or the tags, by which a run or a comparison is broken down. */
export const BreakdownField = (
  props: Omit<Parameters<typeof PointerField>[0], 'label' | 'title' | 'others'>,
) => (
  <PointerField
    {...props}
    label="Break down by"
    title="A row for each value of a field, or for each tag"
    others={['tags']}
  />
);
