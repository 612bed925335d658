import { whole } from '@assay/client/figures';
import { printable } from '@assay/client/printable';

/** How far an evaluation has come. */
export interface ProgressState {
  records: number;
  /** Undefined as long as nobody knows. */
  recordsExpected: number | undefined;
  errors: number;
  /** While the system is called, scores are not asked for. */
  scoring: { scored: number; failed: number; expected: number } | undefined;
  /** Why a request has to wait. */
  waiting: string | undefined;
}

/** Where progress is shown: a terminal, or a file or pipe that cannot be redrawn. */
interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const redrawMs = 200;
const plainMs = 5_000;

/** Shows how far it is: redrawn in place on a terminal, else by a line every five seconds. */
export function showProgress({ screen, state }: { screen: Screen; state: () => ProgressState }): {
  stop: () => void;
} {
  let last = '';
  function redraw(): void {
    const line = describeProgress(state()).slice(0, (screen.columns ?? 80) - 1);
    if (line !== last) screen.write(`\r\x1b[2K${line}`);
    last = line;
  }
  function print(): void {
    const line = describeProgress(state());
    if (line !== last) screen.write(`${line}\n`);
    last = line;
  }
  const timer = setInterval(screen.isTTY ? redraw : print, screen.isTTY ? redrawMs : plainMs);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      if (screen.isTTY && last !== '') screen.write('\r\x1b[2K');
    },
  };
}

export function describeProgress({
  records,
  recordsExpected,
  errors,
  scoring,
  waiting,
}: ProgressState): string {
  const of = recordsExpected === undefined ? '' : ` of ${whole(recordsExpected)}`;
  return [
    `${whole(records)}${of} records`,
    ...(errors > 0 ? [`${whole(errors)} failed`] : []),
    ...(scoring
      ? [`${whole(scoring.scored + scoring.failed)} of ${whole(scoring.expected)} scores`]
      : []),
    ...(waiting === undefined ? [] : [`waiting: ${printable(waiting)}`]),
  ].join(' · ');
}
