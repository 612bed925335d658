import '@assay/runtime/concurrency/low-priority';
import { getPriority } from 'node:os';

export default () => getPriority();
