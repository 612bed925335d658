import type { ItemOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { BytesPayload, type PayloadView } from '../../parts/payload/payload.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
import { useSpan } from '../trace/use-span.ts';
import { TraceCost, TraceDuration, TraceStatus, TraceTokens } from '../traces/trace-marks.tsx';
import styles from './session.module.css';
import { previewMax, sourceOf } from './source.ts';

type Trace = ItemOf<'/sessions/:sessionId/traces'>;

/** One trace of a session: its input and its output. */
export function Turn({ trace, number }: { trace: Trace; number: number }) {
  const { traceId, projectId, name, startedAt, totalTokens, costUsd } = trace;
  return (
    <article className={styles.turn} aria-label={`Turn ${number}`}>
      <header className={styles.facts}>
        <strong>{number}</strong>
        <Link
          // A session is of the organization: its traces may be in several projects.
          to="/projects/$projectId/traces/$traceId"
          params={{ projectId, traceId }}
        >
          {visible(name) || 'without a name'}
        </Link>
        <Time at={startedAt} />
        <TraceStatus trace={trace} />
        <TraceDuration trace={trace} />
        {totalTokens !== null && (
          <span>
            <TraceTokens trace={trace} /> tokens
          </span>
        )}
        {costUsd !== null && <TraceCost trace={trace} />}
      </header>
      <Said trace={trace} field="input" />
      <Said trace={trace} field="output" />
    </article>
  );
}

/** The beginning of an input or output, and the whole of it where a person wants it. */
function Said({ trace, field }: { trace: Trace; field: 'input' | 'output' }) {
  const [isWhole, setWhole] = useState(false);
  const preview = trace[`${field}Preview`];
  return (
    <div className={styles.said} data-field={field}>
      <p className={styles.field}>{field === 'input' ? 'Input' : 'Output'}</p>
      {isWhole ? (
        <Whole trace={trace} field={field} />
      ) : (
        <p className={styles.text}>
          {preview === null ? 'The trace does not say.' : visible(preview)}
        </p>
      )}
      {preview !== null && preview.length >= previewMax && !isWhole && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show all of it
        </Button>
      )}
    </div>
  );
}

interface WholeProps {
  trace: Trace;
  field: 'input' | 'output';
}

function Whole({ trace, field }: WholeProps) {
  const { traceId } = trace;
  const listed = useReading('/traces/:traceId/spans', { params: { traceId } });
  if (listed.error) return <Problem error={listed.error} retry={() => void listed.refetch()} />;
  if (!listed.data) return <p role="status">Reading …</p>;
  const source = sourceOf(listed.data.data, field, trace[`${field}Preview`]);
  return source ? (
    <WholeField traceId={traceId} spanId={source.spanId} field={field} />
  ) : (
    <p className={styles.text}>
      {visible(trace[`${field}Preview`] ?? '')} … The trace has the rest of it.
    </p>
  );
}

function WholeField({
  traceId,
  spanId,
  field,
}: {
  traceId: string;
  spanId: string;
  field: 'input' | 'output';
}) {
  const { data, error, refetch } = useSpan({ traceId, spanId });
  const [view, setView] = useState<PayloadView>('reading');
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return <p role="status">Reading …</p>;
  const bytes = data[field];
  if (!bytes) return null;
  return (
    <BytesPayload
      title={field === 'input' ? 'Input' : 'Output'}
      bytes={bytes}
      file={`${spanId}-${field}.json`}
      view={view}
      setView={setView}
    />
  );
}
