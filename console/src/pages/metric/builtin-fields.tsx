import { parseByValue } from '@assay/json/parse';
import { useId, useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Choice, Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { indentedJson } from '../../text/json.ts';
import type { Draft } from './draft.ts';
import styles from './metric.module.css';
import { pointersIn, type RecordValues } from './names.ts';
import type { Check } from './use-check.ts';

/** The part of an option's JSON Schema by which its field is made. */
interface OptionSchema {
  type: string | string[];
  format?: string;
  description?: string;
  default?: unknown;
}

/** A built-in evaluator and its options, as its JSON Schema describes them. */
export function BuiltinFields({
  draft,
  change,
  check,
  values,
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  check: Check;
  values: RecordValues;
}) {
  const evaluators = useReading('/evaluators');
  const { evaluator: name, options, outputType } = draft;
  if (!evaluators.data)
    return evaluators.error ? (
      <Problem error={evaluators.error} retry={() => void evaluators.refetch()} />
    ) : (
      <p className={styles.hint}>Reading the rules …</p>
    );
  const all = evaluators.data.data;
  const chosen = all.find((one) => one.name === name);
  const { properties = {}, required = [] } = (chosen?.options ?? {}) as {
    properties?: Record<string, OptionSchema>;
    required?: string[];
  };
  const setOption = (option: string, value: unknown) => {
    const { [option]: _, ...others } = options;
    change({ options: value === undefined ? others : { ...others, [option]: value } });
  };
  return (
    <div className={styles.form}>
      <Choice
        label="Evaluator"
        value={name}
        hint={chosen?.summary}
        onChange={({ target }) => change({ evaluator: target.value, options: {} })}
        problem={check.problemAt('/builtin/name')}
      >
        {!chosen && <option value={name}>{name}</option>}
        {all.map((one) => (
          <option
            key={one.name}
            value={one.name}
            disabled={!one.outputTypes.some((type) => type === outputType)}
          >
            {one.name}
          </option>
        ))}
      </Choice>
      {Object.entries(properties)
        .filter(([option]) => option !== 'threshold' || outputType === 'boolean')
        .map(([option, schema]) => (
          <OptionField
            key={`${name} ${option}`}
            name={option}
            schema={schema}
            isRequired={required.includes(option)}
            value={options[option]}
            onChange={(value) => setOption(option, value)}
            problem={check.problemAt(`/builtin/options/${option}`)}
            pointers={pointersIn(option === 'output' ? values.outputs : values.expected)}
          />
        ))}
      {chosen && (
        <details>
          <summary>Example</summary>
          <pre className={styles.example}>{JSON.stringify(chosen.example, undefined, 2)}</pre>
        </details>
      )}
    </div>
  );
}

interface OptionProps {
  name: string;
  schema: OptionSchema;
  isRequired: boolean;
  value: unknown;
  /** Called with undefined where the option is left out. */
  onChange: (value: unknown) => void;
  problem: string | undefined;
  /** The members of the record that the option can point at. */
  pointers: string[];
}

/** One option. Text that is not of the option's type is sent as typed: the server refuses it. */
function OptionField({
  name,
  schema,
  isRequired,
  value,
  onChange,
  problem,
  pointers,
}: OptionProps) {
  const id = useId();
  const isJson = Array.isArray(schema.type);
  const isPointer = schema.format === 'json-pointer';
  const [text, setText] = useState(() => asText(value));
  // A pointer that was picked in the record replaces the typed one.
  const shown = isPointer ? asText(value) : text;
  if (schema.type === 'boolean')
    return (
      <Flag
        name={name}
        hint={schema.description}
        isOn={value === true}
        onChange={(isOn) => onChange(isOn || undefined)}
      />
    );
  const read = (typed: string): unknown => {
    if (typed === '') return undefined;
    if (schema.type === 'string') return typed;
    try {
      return parseByValue(typed);
    } catch {
      return typed;
    }
  };
  return (
    <>
      <Field
        label={isRequired ? `${name} (required)` : name}
        hint={<Sentence text={schema.description ?? ''} />}
        problem={problem}
        spellCheck={false}
        {...(isJson ? { rows: 8 } : {})}
        {...(isPointer ? { list: id, placeholder: pointers[0] ?? '/answer' } : {})}
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          onChange(read(target.value));
        }}
      />
      {isPointer && (
        <>
          <datalist id={id}>
            {pointers.map((pointer) => (
              <option key={pointer} value={pointer} />
            ))}
          </datalist>
          <Flag
            name={`${name}: the whole of it`}
            isOn={value === ''}
            onChange={(isOn) => onChange(isOn ? '' : undefined)}
          />
        </>
      )}
    </>
  );
}

const Flag = ({
  name,
  hint,
  isOn,
  onChange,
}: {
  name: string;
  hint?: string | undefined;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) => (
  <label className={styles.flag}>
    <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
    <span>
      {name}
      {hint && <span className={styles.hint}>{hint}</span>}
    </span>
  </label>
);

const asText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : indentedJson(value);
