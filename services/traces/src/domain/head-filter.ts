import type { Request } from '@assay/contracts/define';
import type { traces } from '@assay/contracts/traces';
import type { HeadFilter } from '../store.ts';

type Filters = Request<(typeof traces)['operations']['listTraces']>['query'];

/** The filters of a request as the heads of traces are read by them. */
export const headFilterOf = ({
  from,
  to,
  service,
  error,
  settled,
  minDurationMs,
  minCostUsd,
  records: _records,
  ...same
}: Filters): HeadFilter => ({
  ...same,
  from: from === undefined ? undefined : Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
  serviceName: service,
  hasErrors: error,
  isSettled: settled,
  durationMsMin: minDurationMs,
  costUsdMin: minCostUsd,
});
