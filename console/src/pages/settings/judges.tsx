import { publicPath } from '../../api/public-path.ts';
import { useReading } from '../../api/query.ts';
import { Problem } from '../../parts/problem.tsx';
import { WaitingFor } from '../../parts/waiting-for.tsx';
import { formatDollars } from '../../text/format.ts';
import styles from './settings.module.css';

const price = (dollars: number | null): string => (dollars === null ? '–' : formatDollars(dollars));

/** The providers of judges, whether they are configured, and their models' prices; never a secret. */
export function Judges() {
  const { data, error, refetch } = useReading('/judges');
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return null;
  return (
    <>
      <p>
        A metric that names no model asks <code>{data.defaultModel}</code>. A provider is configured
        where Assay runs, by the variables that{' '}
        <a href={`${publicPath}/docs/guides/first-judge`}>A first judge</a> names.
      </p>
      <WaitingFor models={data.waitingFor} />
      {data.data.map(({ provider, isConfigured, models }) => (
        <section key={provider} className={styles.provider}>
          <h2>
            {provider}{' '}
            <span className={isConfigured ? styles.configured : styles.missing}>
              {isConfigured ? '✓ configured' : '– not configured'}
            </span>
          </h2>
          {models.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys.
            <div className={styles.scroll} tabIndex={0}>
              <table className={styles.table}>
                <thead>
                  <tr>
                    <th scope="col">Model</th>
                    <th scope="col">Input, a million tokens</th>
                    <th scope="col">Output, a million tokens</th>
                  </tr>
                </thead>
                <tbody>
                  {models.map(({ model, inputUsdPerMillion, outputUsdPerMillion }) => (
                    <tr key={model}>
                      <th scope="row">{model}</th>
                      <td>{price(inputUsdPerMillion)}</td>
                      <td>{price(outputUsdPerMillion)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      ))}
    </>
  );
}
