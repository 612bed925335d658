import { Choice, Field } from '../../parts/field.tsx';
import { formatCount } from '../../text/format.ts';
import { drawnFromMax } from './assign.ts';
import styles from './review.module.css';
import type { Amount } from './review-wish.ts';

/** How many records of the run are reviewed. */
export const AmountFields = ({
  amount,
  setAmount,
  isJoining,
}: {
  amount: Amount;
  setAmount: (amount: Amount) => void;
  /** Whether the metric is new to the run. */
  isJoining: boolean;
}) => (
  <div className={styles.amount}>
    <Choice
      label="Records"
      value={amount}
      onChange={({ target }) => setAmount(target.value as Amount)}
    >
      <option value="all">{isJoining ? 'All of the run' : 'All that wait'}</option>
      <option value="share">A share, drawn by chance</option>
      <option value="count">A number, drawn by chance</option>
    </Choice>
    {amount !== 'all' && (
      <Field
        key={amount}
        label={amount === 'share' ? 'Per cent' : 'Number'}
        name="amount"
        type="number"
        min={1}
        max={amount === 'share' ? 100 : drawnFromMax}
        required
        defaultValue={20}
      />
    )}
  </div>
);

/** How many people score each record; a metric that is made here asks for no number itself. */
export const PerRecord = ({ annotators }: { annotators: number | undefined }) => (
  <Choice label="Each record by" name="by">
    {annotators === undefined ? (
      <>
        <option value="1">One member</option>
        <option value="2">Two members, to see how far they agree</option>
      </>
    ) : (
      <>
        <option value="metric">
          As many members as the metric asks for: {formatCount(annotators)}
        </option>
        <option value="1">One member</option>
      </>
    )}
  </Choice>
);
