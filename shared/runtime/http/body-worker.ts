import { workerTask } from '../concurrency/worker-task.ts';
import { type ParsedBody, type ParseTask, scanBody } from './body.ts';

/**
 * Parses a large body on another thread and hands its memory back with where the payloads stand.
 */
export default workerTask(
  ({ bytes, plan, depthMax }: ParseTask): ParsedBody => ({
    scanned: scanBody(Buffer.from(bytes), plan, depthMax),
    bytes,
  }),
  { handBack: ({ bytes }) => [bytes] },
);
