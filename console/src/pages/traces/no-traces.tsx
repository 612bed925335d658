import { useId, useState } from 'react';
import { publicPath } from '../../api/public-path.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { instrumentationsFor } from './instrumentations.ts';
import styles from './traces.module.css';

/** Waits for the first span, and says how each instrumentation is told to send it. */
export function NoTraces({ projectId }: { projectId: string }) {
  const all = instrumentationsFor(`${location.origin}${publicPath}`, projectId);
  const [name, setName] = useState(all[0]!.name);
  const { about, lines } = all.find((one) => one.name === name) ?? all[0]!;
  const id = useId();
  return (
    <Empty
      title="No traces yet"
      action={
        <div className={styles.instrumentation}>
          <p role="status" className={styles.waiting}>
            Waiting for the first span…
          </p>
          <fieldset className={styles.names}>
            <legend>What your system is instrumented with</legend>
            {all.map((one) => (
              <label key={one.name}>
                <input
                  type="radio"
                  name={id}
                  checked={one.name === name}
                  onChange={() => setName(one.name)}
                />
                {one.name}
              </label>
            ))}
          </fieldset>
          <p>{about}</p>
          <Snippet code={lines} />
          <p>
            In place of YOUR_API_KEY:{' '}
            <ButtonLink to="/settings/$section" params={{ section: 'keys' }}>
              Make an API key
            </ButtonLink>
          </p>
        </div>
      }
    >
      A trace is what happened in one request of your system: each call of a model, of a tool, and
      what they answered. Systems send it by OpenTelemetry, over HTTP.
    </Empty>
  );
}
