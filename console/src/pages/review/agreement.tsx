import type { ReplyOf } from '@assay/client/operations';
import { countOf, formatMean } from '../../text/format.ts';

type Summary = ReplyOf<'GET', '/runs/:runId/summary'>['metrics'][number];

/** How far people agree: "agreement 0.74 (kappa), by 2 people on 31 records". */
export function AgreementText({
  agreement: { kappa, alpha, annotators, records },
}: {
  agreement: NonNullable<Summary['agreement']>;
}) {
  const value = kappa ?? alpha;
  if (value === null) return <>nobody has scored the same records yet</>;
  return (
    <>
      agreement {formatMean(value)} ({kappa === null ? 'alpha' : 'kappa'}), by{' '}
      {countOf(annotators, 'person', 'people')} on {countOf(records, 'record')}
    </>
  );
}
