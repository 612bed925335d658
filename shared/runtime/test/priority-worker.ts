import '../low-priority.ts';
import { getPriority } from 'node:os';

export default (): number => getPriority();
