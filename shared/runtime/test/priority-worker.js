import '@assay/runtime/low-priority';
import { getPriority } from 'node:os';

export default () => getPriority();
