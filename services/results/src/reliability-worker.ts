import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { measureAgreement } from './domain/judge-agreement.ts';

/** Measures one judge's agreement with people on another thread. */
export default workerTask(measureAgreement);
