import { workerTask } from '../concurrency/worker-task.ts';
import type { ParsedBody, ParseTask } from './body.ts';
import { scanBody } from './scan-body.ts';

/**
 * Parses a large body on another thread and hands its memory back with where the payloads stand.
 */
export default workerTask(
  ({ bytes, shape, limits }: ParseTask): ParsedBody => ({
    scanned: scanBody(Buffer.from(bytes), shape, limits),
    bytes,
  }),
  { handBack: ({ bytes }) => [bytes] },
);
