import { isNumeric } from '@assay/contracts/scale';
import { Choice, Field } from '../../parts/field.tsx';
import { type OutputType, outputTypes, type Scorer, scorers } from '../../text/metrics.ts';
import { type Draft, type DraftProps, firstTemplates, withOutputType } from './draft.ts';
import { JudgeFields } from './judge-fields.tsx';
import styles from './metric.module.css';
import { ScaleFields } from './scale-fields.tsx';

/** The fields of every metric: its name, who scores, its output, and its guidelines. */
export function MetricForm({
  draft,
  change,
  isStored,
  savedScorer,
  problemAt,
  warningAt,
}: DraftProps & { isStored: boolean; savedScorer: Scorer }) {
  const { scorer, outputType } = draft;
  const judgesPairs = scorer === 'judge' && draft.subject === 'pair';
  return (
    <form className={styles.form} aria-label="Metric" onSubmit={(event) => event.preventDefault()}>
      <Field
        label="Name"
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
        problem={problemAt('/name')}
      />
      <Field
        label="Description"
        rows={2}
        value={draft.description}
        onChange={({ target }) => change({ description: target.value })}
        problem={problemAt('/description')}
      />
      <Choice
        label="Who scores"
        value={scorer}
        hint={scorers[scorer].hint}
        onChange={({ target }) => change({ scorer: target.value as Scorer })}
        problem={problemAt('/evalType')}
      >
        {scorersFor(isStored ? savedScorer : undefined).map((one) => (
          <option key={one} value={one}>
            {scorers[one].text}
          </option>
        ))}
      </Choice>
      {scorer === 'judge' && <Subject draft={draft} change={change} isStored={isStored} />}
      <Choice
        label="Output"
        value={outputType}
        disabled={isStored || judgesPairs}
        hint={judgesPairs ? pairHint : isStored ? storedHint : undefined}
        onChange={({ target }) => change(withOutputType(draft, target.value as OutputType))}
        problem={problemAt('/outputType')}
      >
        {(Object.keys(outputTypes) as OutputType[]).map((one) => (
          <option key={one} value={one}>
            {outputTypes[one]}
          </option>
        ))}
      </Choice>
      <ScaleFields draft={draft} change={change} problemAt={problemAt} />
      {isNumeric(outputType) && (
        <Field
          label={draft.lowerIsBetter ? 'Passes up to' : 'Passes from'}
          inputMode="decimal"
          value={draft.passingThreshold}
          onChange={({ target }) => change({ passingThreshold: target.value })}
          problem={problemAt('/passingThreshold')}
        />
      )}
      {scorer === 'judge' && (
        <JudgeFields draft={draft} change={change} problemAt={problemAt} warningAt={warningAt} />
      )}
      {scorer === 'people' && (
        <Field
          label="People for each record"
          inputMode="numeric"
          value={draft.annotators}
          onChange={({ target }) => change({ annotators: target.value })}
          hint="With two or more, the run says how far they agree."
          problem={problemAt('/annotators')}
        />
      )}
      <Field
        label="Guidelines"
        rows={6}
        value={draft.guidelines}
        onChange={({ target }) => change({ guidelines: target.value })}
        hint="What a good answer is. People and judges are shown them."
        problem={problemAt('/guidelines')}
      />
    </form>
  );
}

const storedHint = 'It stays as it is, so that scores can be compared.';
const pairHint = 'The first answer is better, the second is, or neither.';

/** Whether a judge is shown a record, or the records of a testcase in two runs. */
function Subject({
  draft,
  change,
  isStored,
}: Pick<DraftProps, 'draft' | 'change'> & { isStored: boolean }) {
  return (
    <Choice
      label="What is judged"
      value={draft.subject}
      disabled={isStored}
      hint={
        draft.subject === 'pair'
          ? 'The page that compares runs asks it. It scores no records.'
          : undefined
      }
      onChange={({ target }) => {
        const subject = target.value as Draft['subject'];
        const isUntouched = Object.values(firstTemplates).includes(draft.promptTemplate);
        change({
          subject,
          ...(subject === 'pair' ? { outputType: 'boolean', passingThreshold: '' } : {}),
          ...(isUntouched ? { promptTemplate: firstTemplates[subject] } : {}),
        });
      }}
    >
      <option value="record">A record</option>
      <option value="pair">Which of two runs is better</option>
    </Choice>
  );
}

/** Who can score: a stored metric keeps to the kind that it has. */
function scorersFor(saved: Scorer | undefined): Scorer[] {
  if (saved === undefined) return Object.keys(scorers) as Scorer[];
  if (saved === 'judge' || saved === 'people') return [saved];
  return saved === 'program' ? ['code', 'builtin', 'program'] : ['code', 'builtin'];
}
