import { Button } from '../../parts/button.tsx';
import type { ReviewItem } from './calls.ts';
import { MetricForm } from './metric-form.tsx';
import { Notices } from './notices.tsx';
import type { Review, ReviewState } from './review.ts';
import styles from './reviewing.module.css';
import { SavedScores } from './saved-scores.tsx';
import type { useAutoAdvance } from './use-auto-advance.ts';
import { saveOrGoOn, type useReviewKeys } from './use-review-keys.ts';

/** The scores that are given to one record, metric by metric. */
export function ScoresForm({
  review,
  state,
  shown,
  keys: { active, setActive, stepMetric, give },
  autoAdvance,
}: {
  review: Review<ReviewItem>;
  state: ReviewState<ReviewItem>;
  shown: ReviewItem;
  keys: ReturnType<typeof useReviewKeys>;
  autoAdvance: ReturnType<typeof useAutoAdvance>;
}) {
  const isLost = state.lost.has(shown.id);
  const isOneBoolean = shown.metrics.length === 1 && shown.metrics[0]!.outputType === 'boolean';
  return (
    <form
      className={styles.form}
      aria-label="Your scores"
      onSubmit={(event) => {
        event.preventDefault();
        saveOrGoOn({ review, state, shown });
      }}
    >
      <Notices review={review} state={state} shown={shown} />
      {shown.metrics.map((one, index) => (
        <MetricForm
          key={`${shown.id} ${one.metricVersionId}`}
          metric={one}
          score={review.scoreOf(shown, one)}
          fault={
            state.fault?.metricVersionId === one.metricVersionId ? state.fault.message : undefined
          }
          isActive={index === active && shown.metrics.length > 1}
          isDisabled={isLost}
          activate={() => setActive(index)}
          edit={(typed) => review.edit(shown, one, typed)}
          give={(value) => give(index, value)}
          step={stepMetric}
        />
      ))}
      {isOneBoolean && (
        <label className={styles.switch}>
          <input
            type="checkbox"
            checked={autoAdvance.isOn}
            onChange={({ target }) => autoAdvance.set(target.checked)}
          />
          <kbd>1</kbd> and <kbd>2</kbd> save at once
        </label>
      )}
      <Button kind="main" type="submit">
        {isLost ? 'Continue' : 'Save and next'} <kbd>Enter</kbd>
      </Button>
      <SavedScores state={state} undo={review.undo} />
    </form>
  );
}
