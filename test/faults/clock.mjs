// Preloaded (`node --import`) into the processes of a test: their clock is behind by the
// milliseconds in the file CLOCK_FILE, which is read at the start and at SIGUSR2.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const RealDate = Date;
const realNow = Date.now;
let behindMs = 0;

function readClock() {
  behindMs = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
}

RealDate.now = () => realNow() - behindMs;
globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now()] : given));
  }
};
readClock();
if (isMainThread) process.on('SIGUSR2', readClock);
