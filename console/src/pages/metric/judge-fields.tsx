import { useId } from 'react';
import { useReading } from '../../api/query.ts';
import { Field } from '../../parts/field.tsx';
import { priceOf } from '../../text/metrics.ts';
import type { DraftProps } from './draft.ts';
import styles from './metric.module.css';

/** Which model judges, how often it is asked, and how it is set. */
export function JudgeFields({ draft, change, problemAt, warningAt }: DraftProps) {
  const judges = useReading('/judges');
  const list = useId();
  const model = draft.evalModelName || judges.data?.defaultModel || '';
  const warning = warningAt('/evalModelName');
  return (
    <>
      <Field
        label="Model"
        list={list}
        autoComplete="off"
        spellCheck={false}
        placeholder={judges.data?.defaultModel}
        value={draft.evalModelName}
        onChange={({ target }) => change({ evalModelName: target.value })}
        hint={
          <>
            {priceOf(judges.data, model)}
            {warning && <span className={styles.warning}>! {warning}</span>}
          </>
        }
        problem={problemAt('/evalModelName')}
      />
      <datalist id={list}>
        {judges.data?.data.flatMap(({ provider, isConfigured, models }) =>
          models.map((one) => (
            <option key={`${provider}/${one.model}`} value={one.model}>
              {isConfigured ? provider : `${provider}, not configured`}
            </option>
          )),
        )}
      </datalist>
      <div className={styles.three}>
        <Field
          label="Temperature"
          inputMode="decimal"
          placeholder="its own"
          value={draft.temperature}
          onChange={({ target }) => change({ temperature: target.value })}
          problem={problemAt('/temperature')}
        />
        <Field
          label="Votes"
          inputMode="numeric"
          value={draft.votes}
          onChange={({ target }) => change({ votes: target.value })}
          problem={problemAt('/votes')}
        />
        <Field
          label="Seed"
          inputMode="numeric"
          placeholder="none"
          value={draft.seed}
          onChange={({ target }) => change({ seed: target.value })}
          problem={problemAt('/seed')}
        />
      </div>
    </>
  );
}
