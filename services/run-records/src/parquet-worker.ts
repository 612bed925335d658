import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { encodeParquet } from './domain/export/parquet-encoding.ts';

/** Encodes a part of a Parquet file on another thread. */
export default workerTask(encodeParquet);
