import { escapeSegment } from '@assay/json/pointer';
import { useId } from 'react';
import { useReading } from '../../api/query.ts';
import { Field } from '../../parts/field.tsx';

/** Which testcases belong together, such as questions about one text: those with the same value. */
export function ClusterField({
  testsetId,
  value,
  change,
}: {
  testsetId: string | null | undefined;
  /** The JSON Pointer of the field in a record. */
  value: string | undefined;
  change: (pointer: string | undefined) => void;
}) {
  const list = useId();
  const testset = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: typeof testsetId === 'string',
  });
  const { inputs = [], expected = [], metadata = [] } = testset.data?.fieldMapping ?? {};
  const pointers = [
    ...inputs.map((name) => `/inputs/${escapeSegment(name)}`),
    ...expected.map((name) => `/expected/${escapeSegment(name)}`),
    ...metadata.map((name) => `/metadata/${escapeSegment(name)}`),
  ];
  /** A name alone is that of a field of the testset. */
  const take = (typed: string) => {
    const wanted = typed.trim();
    const named = pointers.find((pointer) => pointer.endsWith(`/${escapeSegment(wanted)}`));
    change(wanted === '' ? undefined : wanted.startsWith('/') ? wanted : (named ?? wanted));
  };
  return (
    <>
      <Field
        key={value}
        label="Testcases that belong together"
        placeholder="/inputs/topic"
        list={list}
        defaultValue={value ?? ''}
        title="Testcases with the same value here are drawn together, since they are not independent: the interval is wider"
        onBlur={({ target }) => take(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') take(currentTarget.value);
        }}
      />
      <datalist id={list}>
        {pointers.map((pointer) => (
          <option key={pointer} value={pointer} />
        ))}
      </datalist>
    </>
  );
}
