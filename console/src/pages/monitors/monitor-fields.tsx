import { Field, problemAt } from '../../parts/field.tsx';
import { visible } from '../../text/format.ts';
import { ContentsChoice } from './contents-choice.tsx';
import { MetricsOfForm } from './metrics-of-form.tsx';
import { attributesOf, attributesText, type MonitorItem } from './monitor-text.ts';
import styles from './monitors.module.css';
import { WhatWouldMatch } from './what-would-match.tsx';

/** The share that a new monitor of the console takes. */
const sharePercentDefault = 5;

/** The fields of a new monitor, or of one that is there. */
export function MonitorFields({
  projectId,
  monitor,
  error,
}: {
  projectId: string;
  monitor?: MonitorItem;
  error: Error | null;
}) {
  const filter = monitor?.filter ?? {};
  return (
    <>
      <Field
        label="Description"
        name="description"
        required
        maxLength={256}
        defaultValue={monitor?.description}
        problem={problemAt(error, '/description')}
      />
      <MetricsOfForm projectId={projectId} chosen={monitor?.metricIds ?? []} />
      <div className={styles.row}>
        <Field label="Service" name="service" defaultValue={filter.serviceName ?? ''} />
        <Field label="Model" name="model" defaultValue={filter.model ?? ''} />
        <Field label="Tags, by commas" name="tags" defaultValue={(filter.tags ?? []).join(', ')} />
        <Field label="Span" name="span" defaultValue={filter.spanName ?? ''} />
      </div>
      <div className={styles.row}>
        <Field
          label="Attributes of a span, as key=value, each on a line"
          name="attributes"
          rows={2}
          spellCheck={false}
          defaultValue={attributesText(filter.attributes)}
          problem={problemAt(error, '/filter/attributes')}
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(
              attributesOf(currentTarget.value) ? '' : 'Write key=value on each line.',
            )
          }
        />
      </div>
      <div className={styles.row}>
        <Field
          label="Share in percent"
          name="share"
          type="number"
          min={0}
          max={100}
          step="any"
          required
          defaultValue={monitor ? monitor.sampleRate * 100 : sharePercentDefault}
        />
        <Field
          label="Records in an hour, at most"
          name="maxPerHour"
          type="number"
          min={1}
          step={1}
          defaultValue={monitor?.maxPerHour ?? ''}
        />
        <Field
          label="Budget for a day, in US dollars"
          name="budget"
          type="number"
          min={0}
          step="any"
          defaultValue={monitor?.budgetUsdPerDay ?? ''}
        />
      </div>
      <WhatWouldMatch projectId={projectId} monitor={monitor} />
      <ContentsChoice label="A record has" chosen={monitor?.select ?? 'trace'}>
        {monitor?.select.startsWith('span:') && (
          <option value={monitor.select}>those of {visible(monitor.select.slice(5))}</option>
        )}
      </ContentsChoice>
    </>
  );
}
