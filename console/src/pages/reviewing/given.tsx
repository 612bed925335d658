import { Payload, type PayloadView } from '../../parts/payload/payload.tsx';
import { type PayloadField, payloadUrl } from './calls.ts';
import styles from './reviewing.module.css';

const titles: Record<PayloadField, string> = {
  inputs: 'Inputs',
  outputs: 'Outputs',
  expected: 'Expected',
};

/** The payloads of a record; `expected` only when somebody asks for it. */
export function Given({
  recordId,
  view,
  setView,
  isExpectedShown,
}: {
  recordId: string;
  view: PayloadView;
  setView: (view: PayloadView) => void;
  isExpectedShown: boolean;
}) {
  const shown = (field: PayloadField) => (
    <Payload
      title={titles[field]}
      url={payloadUrl(recordId, field)}
      view={view}
      setView={setView}
    />
  );
  return (
    <div className={styles.given} data-given>
      {shown('inputs')}
      <div className={styles.answers}>
        <div className={styles.answer} data-outputs>
          {shown('outputs')}
        </div>
        {isExpectedShown && <div className={styles.answer}>{shown('expected')}</div>}
      </div>
    </div>
  );
}
