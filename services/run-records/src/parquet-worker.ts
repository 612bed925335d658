import '@assay/runtime/concurrency/low-priority';
import {
  encodeParquet,
  type ParquetPart,
  type ParquetTask,
} from './domain/export/parquet-encoding.ts';

/** Encodes a part of a Parquet file on another thread. */
export default (task: ParquetTask): ParquetPart => encodeParquet(task);
