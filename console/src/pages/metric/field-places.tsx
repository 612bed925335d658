import { useId, useMemo } from 'react';
import { Field } from '../../parts/field.tsx';
import styles from './metric.module.css';
import { expressionsIn, isAbsent, type TemplateField } from './template-fields.ts';
import type { Sample } from './use-sample.ts';

/** Where records have the fields that a ready-made judge reads. */
export function FieldPlaces({
  fields,
  change,
  sample: { values, testset },
}: {
  fields: TemplateField[];
  change: (field: TemplateField) => void;
  sample: Sample;
}) {
  const list = useId();
  const expressions = useMemo(() => expressionsIn(values, testset), [values, testset]);
  return (
    <fieldset className={styles.places}>
      <legend>What the prompt reads</legend>
      {fields.map(({ name, expression }) => (
        <Field
          key={name}
          label={name}
          list={list}
          autoComplete="off"
          spellCheck={false}
          value={expression}
          onChange={({ target }) => change({ name, expression: target.value })}
          hint={isAbsent(expression, values) ? 'The record beside does not have this.' : undefined}
        />
      ))}
      <datalist id={list}>
        {expressions.map((expression) => (
          <option key={expression} value={expression} />
        ))}
      </datalist>
    </fieldset>
  );
}
