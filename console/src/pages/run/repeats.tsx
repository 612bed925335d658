import { Link } from '@tanstack/react-router';
import { countOf, formatCount, formatMean, formatShare } from '../../text/format.ts';
import { shortId } from '../../text/names.ts';
import styles from './run.module.css';
import type { MetricSummary } from './run-summary.ts';

type RepeatSummary = NonNullable<MetricSummary['repeats']>;
type Share = RepeatSummary['passes'][number]['passAtK'];

/** How much a metric's scores of one testcase differ between its records. */
export function Repeats({ metric, repeats }: { metric: MetricSummary; repeats: RepeatSummary }) {
  const { recordsPerTestcase, standardDeviationWithin, standardDeviationBetween } = repeats;
  return (
    <article>
      <h3>Repeats: {metric.name}</h3>
      <p>
        {countOf(metric.count, 'testcase')} with {Number(recordsPerTestcase.toFixed(1))} records
        each. Standard deviation {formatMean(standardDeviationWithin)} between the records of a
        testcase
        {standardDeviationBetween !== null &&
          `, ${formatMean(standardDeviationBetween)} between testcases`}
        .
      </p>
      {repeats.passes.length > 0 && <Passes passes={repeats.passes} />}
      <FlakyTestcases metric={metric} flaky={repeats.flaky} />
    </article>
  );
}

const Passes = ({ passes }: Pick<RepeatSummary, 'passes'>) => (
  <table className={styles.table}>
    <thead>
      <tr>
        <th scope="col">Records</th>
        <th scope="col">At least one passes (pass@k)</th>
        <th scope="col">All pass (pass^k)</th>
        <th scope="col">Testcases</th>
      </tr>
    </thead>
    <tbody>
      {passes.map(({ k, testcases, passAtK, passHatK }) => (
        <tr key={k}>
          <th scope="row">{k}</th>
          <td>{shareText(passAtK)}</td>
          <td>{shareText(passHatK)}</td>
          <td>{formatCount(testcases)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const shareText = ({ value, confidenceInterval }: Share): string =>
  confidenceInterval
    ? `${formatShare(value)} (${formatShare(confidenceInterval.low)} to ${formatShare(confidenceInterval.high)})`
    : formatShare(value);

function FlakyTestcases({
  metric,
  flaky,
}: {
  metric: MetricSummary;
  flaky: RepeatSummary['flaky'];
}) {
  if (flaky.count === 0) return <p>No testcase passes at one time and fails at another.</p>;
  return (
    <details>
      <summary>
        {countOf(flaky.count, 'testcase')} {flaky.count === 1 ? 'is' : 'are'} flaky: some records
        pass, others do not
      </summary>
      <ul>
        {flaky.testcases.map(({ testcaseId, records, passRate }) => (
          <li key={testcaseId}>
            <Link
              from="/projects/$projectId/runs/$runId"
              search={{ testcaseId, metricVersionId: metric.metricVersionId }}
            >
              {shortId(testcaseId)}
            </Link>
            : {formatCount(Math.round(passRate * records))} of {countOf(records, 'record')} pass
          </li>
        ))}
      </ul>
    </details>
  );
}
