/** How long one piece of work may keep the event loop. */
const sliceMs = 3;

// Of the process: a hundred uploads that each took a slice between two turns of the loop would keep
// it for a second.
const waiting: (() => void)[] = [];
let resumedAt = 0;

/**
 * Lets the event loop turn when long work has kept it for 3 ms: undefined before that. To be asked
 * between the steps of the work, and awaited. All such work of the process takes turns, one slice
 * in each turn of the loop.
 */
export function nextTurn(): Promise<void> | undefined {
  if (performance.now() - resumedAt < sliceMs) return undefined;
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOldest);
  });
}

/**
 * Hands items on as they come, and lets the event loop turn between them when they have kept it for
 * long, as a batch of a cursor does.
 */
export async function* inSlices<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const item of items) {
    yield item;
    const turn = nextTurn();
    if (turn) await turn;
  }
}

function resumeOldest(): void {
  const resume = waiting.shift()!;
  if (waiting.length > 0) setImmediate(resumeOldest);
  resumedAt = performance.now();
  resume();
}

/**
 * The turns of the event loop that it takes to accept a waiting connection and to read the data
 * that it brought.
 */
const turnsToRead = 4;

/**
 * Resolves when all that has arrived over the process's connections is read: closing one that has
 * brought a request would reset it.
 */
export async function arrivalsRead(): Promise<void> {
  for (let turn = 0; turn < turnsToRead; turn++)
    await new Promise((resolve) => setImmediate(resolve));
}
