import { ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import { indentedJson } from '../../text/json.ts';
import type { Draft } from './draft.ts';
import styles from './metric.module.css';
import { RenderedPrompt } from './rendered-prompt.tsx';
import { Trial } from './trial.tsx';
import type { Check } from './use-check.ts';
import type { TypedRecord } from './use-typed-record.ts';

/** A testcase with a typed answer, the prompt that it makes, and its score by the draft. */
export function TypedSample({
  projectId,
  draft,
  check,
  typed,
  isScoredHere,
}: {
  projectId: string;
  draft: Draft;
  check: Check;
  typed: TypedRecord;
  isScoredHere: boolean;
}) {
  const { testcases, record } = typed;
  if (!typed.isReading && !typed.error && testcases.length === 0)
    return (
      <section className={styles.pane} aria-label="Record">
        <Empty
          title="No record to try it on"
          action={
            <ButtonLink to="/projects/$projectId/import" params={{ projectId }}>
              Import a file
            </ButtonLink>
          }
        >
          Once the project has a testcase or a run, this is where one stands, with the prompt and
          the score that the metric makes of it.
        </Empty>
      </section>
    );
  return (
    <section className={styles.pane} aria-label="Record">
      <h2>On a testcase</h2>
      {typed.error && <Problem error={typed.error} retry={typed.retry} />}
      <Choice
        label="Testcase"
        value={typed.testcaseId ?? ''}
        onChange={({ target }) => typed.choose(target.value)}
      >
        {testcases.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Field
        label="An answer to try"
        rows={3}
        value={typed.answer}
        onChange={({ target }) => typed.type(target.value)}
        hint={
          <>
            The metric reads it as <code>outputs.{visible(typed.outputName)}</code>. Type an object
            in JSON for outputs of other names.
          </>
        }
      />
      {record && isScoredHere && (
        <Trial projectId={projectId} draft={draft} on={{ record }} isFaulty={check.isFaulty} />
      )}
      {draft.scorer === 'judge' && <RenderedPrompt check={check} />}
      {record && (
        <details>
          <summary>The testcase</summary>
          <pre className={styles.promptText}>
            {visible(indentedJson({ inputs: record.inputs, expected: record.expected }))}
          </pre>
        </details>
      )}
    </section>
  );
}
