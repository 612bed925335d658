import { useMemo, useState } from 'react';
import { Snippet } from '../../parts/copy.tsx';
import { Editor } from '../../parts/editor/editor.tsx';
import { Choice } from '../../parts/field.tsx';
import { curl } from '../../text/commands.ts';
import { BuiltinFields } from './builtin-fields.tsx';
import { type CodeLanguage, type Draft, firstSources } from './draft.ts';
import { FieldPlaces } from './field-places.tsx';
import styles from './metric.module.css';
import { membersIn } from './names.ts';
import { fieldsOf, withField } from './template-fields.ts';
import type { Check } from './use-check.ts';
import type { Sample } from './use-sample.ts';

const codeLanguages: Record<CodeLanguage, string> = {
  typescript: 'TypeScript',
  javascript: 'JavaScript',
  python: 'Python',
};

/** The scorer's own part: a prompt, code, or the options of a rule. */
export function ScorerPane({
  projectId,
  metricId,
  draft,
  change,
  check,
  sample,
}: {
  projectId: string;
  metricId: string | undefined;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  check: Check;
  sample: Sample;
}) {
  const { values, testset } = sample;
  const subject = draft.scorer === 'judge' ? draft.subject : 'record';
  const membersAt = useMemo(
    () => membersIn({ values, testset, subject }),
    [values, testset, subject],
  );
  const [revision, setRevision] = useState(0);
  switch (draft.scorer) {
    case 'judge': {
      const fields = fieldsOf(draft.promptTemplate);
      return (
        <section className={styles.pane} aria-label="Prompt">
          <h2>Prompt template</h2>
          {fields.length > 0 && (
            <FieldPlaces
              fields={fields}
              change={(field) => {
                change({ promptTemplate: withField(draft.promptTemplate, field) });
                setRevision(revision + 1);
              }}
              sample={sample}
            />
          )}
          <Editor
            // Another subject may have brought another template.
            key={draft.subject}
            label="Prompt template"
            language="jinja"
            text={draft.promptTemplate}
            revision={revision}
            onChange={(promptTemplate) => change({ promptTemplate })}
            problems={check.problems}
            membersAt={membersAt}
          />
        </section>
      );
    }
    case 'code':
      return (
        <section className={styles.pane} aria-label="Code">
          <div className={styles.paneHead}>
            <h2>Code</h2>
            <Choice
              label="Language"
              value={draft.language}
              onChange={({ target }) => {
                const language = target.value as CodeLanguage;
                const isUntouched = Object.values(firstSources).includes(draft.source);
                change({ language, ...(isUntouched ? { source: firstSources[language] } : {}) });
              }}
            >
              {Object.entries(codeLanguages).map(([language, text]) => (
                <option key={language} value={language}>
                  {text}
                </option>
              ))}
            </Choice>
          </div>
          <Editor
            label="Code"
            language={draft.language}
            text={draft.source}
            onChange={(source) => change({ source })}
            problems={check.problems}
            membersAt={membersAt}
          />
        </section>
      );
    case 'builtin':
      return (
        <section className={styles.pane} aria-label="Rule">
          <h2>Rule</h2>
          <BuiltinFields draft={draft} change={change} check={check} values={values} />
        </section>
      );
    case 'people':
      return (
        <section className={styles.pane} aria-label="Review">
          <h2>Review</h2>
          <p>
            Add the metric to a run: each of its records then waits for{' '}
            {draft.annotators === '1' ? 'a member' : `${draft.annotators} members`}, who read the
            guidelines and give a value. What a judge says is not shown to them.
          </p>
        </section>
      );
    case 'program':
      return (
        <section className={styles.pane} aria-label="Scores by the API">
          <h2>Scores by the API</h2>
          <p>Your program gives each record of a run its score, by the id of the version:</p>
          <Snippet
            code={curl('PUT', '/records/$RECORD/scores/$METRIC_VERSION', {
              score: { value: draft.outputType === 'boolean' ? true : 1, reasoning: 'Why.' },
            })}
          />
          {metricId === undefined && (
            <p>
              Create it here, or by <code>POST /projects/{projectId}/metrics</code>.
            </p>
          )}
        </section>
      );
  }
}
