import { scaleOf, valueInWords } from '@assay/contracts/scale';
import type { KeyboardEvent } from 'react';
import { Markdown } from '../../parts/markdown.tsx';
import { outcomes } from '../../parts/score.tsx';
import { scaleText } from '../../text/metrics.ts';
import { booleanChoices } from '../../text/scores.ts';
import type { DraftScore } from './drafts.ts';
import type { AskedMetric } from './review.ts';
import styles from './reviewing.module.css';

interface MetricFormProps {
  metric: AskedMetric;
  score: DraftScore;
  fault: string | undefined;
  isActive: boolean;
  isDisabled: boolean;
  /** This metric is the one that the keys are meant for. */
  activate: () => void;
  edit: (typed: Partial<DraftScore>) => void;
  /** Takes a value that is complete with one press. */
  give: (value: string) => void;
  step: (by: 1 | -1) => void;
}

/** The form of one metric: its guidelines, the value, and the reason. */
export function MetricForm(props: MetricFormProps) {
  const { metric, score, fault, isActive, isDisabled, activate, edit } = props;
  const { metricVersionId, name, guidelines } = metric;
  return (
    <fieldset
      data-metric={metricVersionId}
      className={`${styles.metric} ${isActive ? styles.active : ''}`}
      disabled={isDisabled}
      tabIndex={-1}
      aria-describedby={`${metricVersionId}-fault`}
      onFocus={activate}
      onKeyDown={beginNumber}
    >
      <legend>{name}</legend>
      {guidelines && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls, also by keys.
        <section className={styles.guidelines} aria-label={`Guidelines of ${name}`} tabIndex={0}>
          <Markdown text={guidelines} />
        </section>
      )}
      <Value {...props} />
      <p id={`${metricVersionId}-fault`} className={styles.fault} role="alert" hidden={!fault}>
        {fault}
      </p>
      <label className={styles.reason}>
        <span>
          Reason <kbd>r</kbd>
        </span>
        <textarea
          rows={2}
          data-reason
          value={score.reason}
          onChange={({ target }) => edit({ reason: target.value })}
          onKeyDown={leaveByEscape}
        />
      </label>
    </fieldset>
  );
}

function Value({ metric, score, fault, edit, give, step }: MetricFormProps) {
  const choices = choicesOf(metric);
  if (choices.length === 0)
    return (
      <input
        className={styles.number}
        data-number
        inputMode="decimal"
        autoComplete="off"
        placeholder={scaleText(metric)}
        aria-label={`${metric.name}, ${valueInWords(metric)}`}
        aria-invalid={fault !== undefined}
        value={score.value}
        onChange={({ target }) => edit({ value: target.value })}
        onKeyDown={(event) => {
          leaveByEscape(event);
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
          if (!by) return;
          event.preventDefault();
          step(by);
        }}
      />
    );
  return (
    <div className={styles.values}>
      {choices.map(({ value, text, sign }, index) => (
        <button
          key={value}
          type="button"
          className={styles.value}
          aria-pressed={score.value === value}
          onClick={(event) => {
            give(value);
            // After a click the keys go on; who came by keys stays at the button.
            if (event.detail > 0) event.currentTarget.closest('fieldset')?.focus();
          }}
        >
          {sign && <span aria-hidden="true">{sign}</span>} {text}
          {sign && <kbd>{index + 1}</kbd>}
        </button>
      ))}
    </div>
  );
}

interface ValueChoice {
  value: string;
  text: string;
  sign?: string;
}

/** Up to so many values are buttons; of more the number is typed. */
const choicesMax = 11;

/** The values that one press gives, of which keys give the first: `1` is the first. */
export function choicesOf(metric: AskedMetric): ValueChoice[] {
  switch (metric.outputType) {
    case 'boolean':
      return booleanChoices(metric).map(({ value, outcome }) => ({ value, ...outcomes[outcome] }));
    case 'int': {
      const { low, high } = scaleOf(metric);
      if (high - low >= choicesMax) return [];
      return Array.from({ length: high - low + 1 }, (_, step) => {
        const value = String(low + step);
        return { value, text: value };
      });
    }
    case 'float':
      return [];
  }
}

function leaveByEscape({ key, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key === 'Escape') currentTarget.closest('fieldset')?.focus();
}

/** A digit that is pressed at a metric goes into its number. */
function beginNumber({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (target === currentTarget && /^[0-9.,-]$/.test(key))
    currentTarget.querySelector<HTMLElement>('[data-number]')?.focus();
}
