import { sessionHeaders } from '../../api/console-secret.ts';
import { signedInAgain } from '../../api/renewal.ts';
import { startWorker } from '../../parts/worker.ts';
import workerUrl from './import-worker.ts?worker&url';
import type { Results, Task, TaskFailure, WorkerMessage } from './messages.ts';

/** Why a task did not come to its end. */
export class TaskError extends Error {
  readonly kind: TaskFailure['kind'];

  constructor({ kind, message }: TaskFailure) {
    super(message);
    this.kind = kind;
  }
}

type ResultOf<Given extends Task> = Results[Given['kind']];

/**
 * Has a worker read files, and perhaps send them, so that the page stays smooth. The signal ends it
 * at once.
 * @throws TaskError
 */
export function perform<Given extends Task>(
  task: Given,
  { signal, told = () => undefined }: { signal: AbortSignal; told?: (said: WorkerMessage) => void },
): Promise<ResultOf<Given>> {
  const worker = startWorker(workerUrl);
  const { promise, resolve, reject } = Promise.withResolvers<ResultOf<Given>>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.kind === 'done') resolve(data.result as ResultOf<Given>);
    else if (data.kind === 'failed') reject(new TaskError(data.failure));
    else if (data.kind === 'signed out')
      void (signedInAgain() ?? Promise.resolve()).then(() =>
        worker.postMessage({ headers: sessionHeaders() }),
      );
    else told(data);
  };
  worker.onerror = ({ message }) =>
    reject(new TaskError({ kind: 'refused', message: `The readers did not start: ${message}` }));
  worker.postMessage({ task, headers: sessionHeaders() });
  return promise.finally(() => worker.terminate());
}
