import '@assay/runtime/concurrency/low-priority';
import { type GuardedResult, guardItem } from '@assay/runtime/concurrency/guard-item';
import {
  type JudgeAgreement,
  type LabelledScores,
  measureAgreement,
} from './domain/judge-agreement.ts';

/** Measures one judge's agreement with people on another thread. */
export default (scores: LabelledScores): GuardedResult<JudgeAgreement> =>
  guardItem(() => measureAgreement(scores));
