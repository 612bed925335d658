import { whole } from '@assay/client/figures';
import { bar } from './bar.ts';
import type { RunProgress } from './scoring.ts';

/** Where progress is shown: a terminal, or a file or pipe that cannot be redrawn. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const redrawMs = 100;
const plainMs = 3_000;

// The cursor waits on an empty line above ours: output of other code in the meantime takes that
// line, and leaves the cursor on ours, which is the first to be cleared.
const draw = (line: string) => `\r\x1b[2K\n\x1b[2K${line}\x1b[1A\r`;
const clear = '\r\x1b[J';

/**
 * Shows the latest line of `describe`, redrawn in place on a terminal, else a line every 3 s;
 * `stop` removes it from the terminal.
 */
export function showProgress({ screen, describe }: { screen: Screen; describe: () => string }): {
  stop: () => void;
} {
  if (!screen.isTTY) {
    const timer = setInterval(() => screen.write(`${describe()}\n`), plainMs);
    return { stop: () => clearInterval(timer) };
  }
  const redraw = () => screen.write(draw(describe().slice(0, (screen.columns ?? 80) - 1)));
  const erase = () => void screen.write(clear);
  redraw();
  const timer = setInterval(redraw, redrawMs);
  process.once('exit', erase);
  return {
    stop: () => {
      clearInterval(timer);
      process.off('exit', erase);
      erase();
    },
  };
}

/** Records and scores of all runs together, of how many. */
export function describeProgress({
  runs,
  recordsExpected,
  scoresExpected,
  elapsedMs,
  waiting,
}: Progress): string {
  const records = sum(runs.map(({ numRecords }) => numRecords));
  const scores = sum(runs.map(({ scoring }) => scoring.scored + scoring.failed));
  const share = (records + scores) / (recordsExpected + scoresExpected);
  const parts = [
    `${bar({ share, cells: 20 })} ${whole(records)} of ${whole(recordsExpected)} records`,
    `${whole(scores)} of ${whole(scoresExpected)} scores`,
    `${Math.round(elapsedMs / 1000)} s`,
    ...(waiting ? [`waiting: ${waiting}`] : []),
  ];
  return parts.join(' · ');
}

interface Progress {
  runs: RunProgress[];
  recordsExpected: number;
  scoresExpected: number;
  elapsedMs: number;
  /** Why a request is waiting, if one is. */
  waiting?: string;
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
