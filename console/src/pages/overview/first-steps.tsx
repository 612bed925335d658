import { Snippet } from '../../parts/copy.tsx';
import { curl } from '../../text/commands.ts';
import styles from './overview.module.css';

/** The way to a first result, as commands with the ids of this project. */
export function FirstSteps({ projectId }: { projectId: string }) {
  const testset = {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  };
  const metric = {
    name: 'Names the capital',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { output: '/answer', expected: '/answer' } },
  };
  return (
    <section className={styles.steps} aria-label="First steps">
      <h2>Three steps to a first result</h2>
      <ol>
        <li>
          <h3>1. What is asked</h3>
          <p>A testset holds the testcases: what goes in, and what should come out.</p>
          <Snippet code={curl('POST', `/projects/${projectId}/testsets`, testset)} />
        </li>
        <li>
          <h3>2. What is good</h3>
          <p>A metric says of each answer whether it is good: by a rule, a judge, or people.</p>
          <Snippet code={curl('POST', `/projects/${projectId}/metrics`, metric)} />
        </li>
        <li>
          <h3>3. What was answered</h3>
          <p>
            A run takes a record for each answer, and is scored while it comes in. Name the testset
            and the metric by the ids that the steps before have answered.
          </p>
          <Snippet
            code={curl('POST', `/projects/${projectId}/runs`, {
              name: 'First run',
              testsetId: null,
              metricIds: [],
            })}
          />
        </li>
      </ol>
    </section>
  );
}
