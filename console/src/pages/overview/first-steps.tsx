import type { ItemOf } from '@assay/client/operations';
import type { ReactNode } from 'react';
import { useReading } from '../../api/query.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { curl } from '../../text/commands.ts';
import { visible } from '../../text/format.ts';
import styles from './first-steps.module.css';

/** As many metrics as a command names. */
const metricsMax = 100;

type Run = ItemOf<'/projects/:projectId/runs'>;

/**
 * The way to a first result, with the buttons that lead on and the ids of this project. It is over
 * once a metric and a record of a run are there.
 */
export function FirstSteps({ projectId, runs }: { projectId: string; runs: Run[] }) {
  const params = { projectId };
  const isOver = runs.some(({ numRecords, metricIds }) => numRecords > 0 && metricIds.length > 0);
  const testsets = useReading('/projects/:projectId/testsets', {
    params,
    query: { limit: 1 },
    isEnabled: !isOver,
  });
  const metrics = useReading('/projects/:projectId/metrics', {
    params,
    query: { limit: metricsMax },
    isEnabled: !isOver,
  });
  if (isOver || !testsets.data || !metrics.data) return null;
  const [testset] = testsets.data.data;
  const [metric] = metrics.data.data;
  const answered = runs.find(({ numRecords }) => numRecords > 0);
  if (metric && answered) return null;
  const done = [testset !== undefined, metric !== undefined, answered !== undefined];
  const stateOf = (step: number) => ({
    isDone: done[step]!,
    isPresent: step === done.indexOf(false),
  });
  const kindOf = (step: number) => (stateOf(step).isPresent ? 'main' : 'plain');
  return (
    <section className={styles.steps} aria-label="First steps">
      <h2>Your first evaluation</h2>
      <ol>
        <Step
          {...stateOf(0)}
          title="Testcases"
          command={curl('POST', `/projects/${projectId}/testsets`, exampleTestset)}
          button={
            <ButtonLink kind={kindOf(0)} to="/projects/$projectId/import" params={params}>
              Import a file
            </ButtonLink>
          }
        >
          {testset
            ? `The testset ${visible(testset.name)} is there.`
            : 'A CSV or a file of another tool: what your system is asked, and what should come out. A column of answers becomes a run at once.'}
        </Step>
        <Step
          {...stateOf(1)}
          title="A metric"
          command={curl('POST', `/projects/${projectId}/metrics`, exampleMetric)}
          button={
            <ButtonLink
              kind={kindOf(1)}
              to="/projects/$projectId/metrics/new"
              params={params}
              search={answered ? { run: answered.id } : {}}
            >
              New metric
            </ButtonLink>
          }
        >
          {metric
            ? `The metric ${visible(metric.name)} is there.`
            : 'It says of each answer whether it is good: by a rule, a judge, your code, or people.'}
        </Step>
        <Step
          {...stateOf(2)}
          title="A run"
          command={curl('POST', `/projects/${projectId}/runs`, {
            name: 'First run',
            testsetId: testset?.id ?? null,
            metricIds: metrics.data.data.map(({ id }) => id),
          })}
          button={
            <ButtonLink kind={kindOf(2)} to="/projects/$projectId/runs/new" params={params}>
              New run
            </ButtonLink>
          }
        >
          {answered
            ? 'The first answers are there.'
            : 'The answers of one version of your system, scored by your metrics: from a file, or from your code.'}
        </Step>
      </ol>
    </section>
  );
}

const exampleTestset = {
  name: 'Questions',
  description: '',
  jsonSchema: {
    type: 'object',
    properties: { question: { type: 'string' }, expected: { type: 'string' } },
  },
  fieldMapping: { inputs: ['question'], expected: ['expected'], metadata: [] },
};

const exampleMetric = {
  name: 'Right answer',
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: { name: 'exact_match', options: { ignoreCase: true } },
};

/** One step: ticked when it is done, and marked when it is the next. */
function Step({
  title,
  isDone,
  isPresent,
  button,
  command,
  children,
}: {
  title: string;
  isDone: boolean;
  isPresent: boolean;
  button: ReactNode;
  command: string;
  children: ReactNode;
}) {
  return (
    <li className={styles.step} aria-current={isPresent ? 'step' : undefined}>
      <h3>
        {isDone && <span aria-hidden="true">✓ </span>}
        {title}
        {isDone && <span className="for-screen-readers">: done</span>}
      </h3>
      <p>{children}</p>
      <div className={styles.ways}>
        {button}
        <details className={styles.command}>
          <summary>From a terminal</summary>
          <Snippet code={command} />
        </details>
      </div>
    </li>
  );
}
