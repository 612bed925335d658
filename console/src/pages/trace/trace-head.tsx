import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Time } from '../../parts/time.tsx';
import { formatCount, formatMean, visible } from '../../text/format.ts';
import { TraceCost, TraceDuration, TraceStatus, TraceTokens } from '../traces/trace-marks.tsx';
import type { TraceItem } from '../traces/use-new-traces.ts';
import styles from './trace.module.css';

/** The numbers of a trace, and all that it says of itself; values by which the list is filtered lead there. */
export function TraceHead({ projectId, trace }: { projectId: string; trace: TraceItem }) {
  const { inputTokens, outputTokens, sessionId, userId, serviceName, expiresAt } = trace;
  const filtered = (search: object, text: string) => (
    <Link to="/projects/$projectId/traces" params={{ projectId }} search={search}>
      {visible(text)}
    </Link>
  );
  return (
    <dl className={styles.head}>
      <Fact name="Status">
        <TraceStatus trace={trace} />
      </Fact>
      <Fact name="Began">
        <Time at={trace.startedAt} />
      </Fact>
      <Fact name="Latency">
        <TraceDuration trace={trace} />
      </Fact>
      <Fact name="Spans">{formatCount(trace.numSpans)}</Fact>
      <Fact name="Tokens">
        <TraceTokens trace={trace} />
        {inputTokens !== null && outputTokens !== null && (
          <small>
            {' '}
            {formatCount(inputTokens)} in, {formatCount(outputTokens)} out
          </small>
        )}
      </Fact>
      <Fact name="Cost">
        <TraceCost trace={trace} />
      </Fact>
      <Facts name="Models" values={trace.models} show={(model) => filtered({ model }, model)} />
      <Facts
        name="Service"
        values={[serviceName]}
        show={(service) => filtered({ service }, service)}
      />
      <Facts
        name="Session"
        values={[sessionId]}
        show={(id) => (
          <Link to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId: id }}>
            {visible(id)}
          </Link>
        )}
      />
      <Facts name="User" values={[userId]} show={(id) => filtered({ userId: id }, id)} />
      <Facts name="Tags" values={trace.tags} show={(tag) => filtered({ tag }, tag)} />
      <Facts
        name="Link ids"
        values={trace.linkIds}
        show={(linkId) => filtered({ linkId }, linkId)}
      />
      <Facts
        name="Scores sent"
        values={[...new Set(trace.evaluations.map(evaluationText))]}
        show={(text) => visible(text)}
      />
      {Object.entries(trace.metadata).map(([name, value]) => (
        <Fact key={name} name={visible(name)}>
          {visible(value)}
        </Fact>
      ))}
      {expiresAt !== null && (
        <Fact name="Deleted">
          <Time at={expiresAt} />
        </Fact>
      )}
    </dl>
  );
}

const evaluationText = ({ name, score, label }: TraceItem['evaluations'][number]): string =>
  `${name}: ${[score === null ? [] : formatMean(score), label ?? []].flat().join(' · ')}`;

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** One fact of all the values that there are; nothing where there are none. */
function Facts({
  name,
  values,
  show,
}: {
  name: string;
  values: (string | null)[];
  show: (value: string) => ReactNode;
}) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return (
    <Fact name={name}>
      {known.map((value, index) => (
        <span key={value}>
          {index > 0 && ', '}
          {show(value)}
        </span>
      ))}
    </Fact>
  );
}
