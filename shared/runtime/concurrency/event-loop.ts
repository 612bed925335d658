import { askersOfProcess, organizationContext, ownWork } from './organization-context.ts';
import { isProcessorScarce } from './scarce-processor.ts';

/** How long work may keep the event loop in one of its turns, in ms. */
const sliceMs = 3;
/**
 * The same while several organizations ask: an answer of two services takes some ten turns of the
 * loop, and each may have to wait for a slice.
 */
const besideOthersMs = 1;

/**
 * The pause between two slices beside others where processors are scarce, in ms. Without it, long
 * work is ready at any time, and each step of others' requests waits behind it for a processor.
 */
const pauseMs = 1;

/** Creates `nextTurn`, by whose slices all long work of a thread is done. */
export function createSlices({
  areSeveral,
  isScarce,
}: {
  areSeveral: () => boolean;
  isScarce: () => boolean;
}): () => Promise<void> | undefined {
  // A hundred uploads that each took a slice between two turns of the loop would keep it for a
  // second. By organization, the one that was resumed last at the end.
  const waiting = new Map<string, (() => void)[]>();
  let isOpen = false;
  let endsAtMs = 0;

  function begin(): void {
    isOpen = true;
    endsAtMs = performance.now() + (areSeveral() ? besideOthersMs : sliceMs);
    setImmediate(end);
  }

  function end(): void {
    isOpen = false;
    if (waiting.size > 0 && areSeveral() && isScarce()) setTimeout(resumeNext, pauseMs);
    else resumeNext();
  }

  function resumeNext(): void {
    const [next] = waiting;
    // Whoever has begun a slice during the pause lets the next one follow.
    if (!next || isOpen) return;
    const [organizationId, ofOne] = next;
    const resume = ofOne.shift()!;
    waiting.delete(organizationId);
    if (ofOne.length > 0) waiting.set(organizationId, ofOne);
    begin();
    resume();
  }

  return () => {
    if (!isOpen) begin();
    if (performance.now() < endsAtMs) return undefined;
    const { organizationId } = organizationContext() ?? ownWork;
    return new Promise((resolve) => {
      const ofOne = waiting.get(organizationId);
      if (ofOne) ofOne.push(resolve);
      else waiting.set(organizationId, [resolve]);
    });
  };
}

/**
 * Lets the event loop turn when long work has kept it for a slice: undefined before that. To be
 * asked between the steps of the work, and awaited. All such work of the process takes turns, one
 * slice in each turn of the loop, and so do the organizations for which it is done.
 */
export const nextTurn = createSlices({
  areSeveral: askersOfProcess.areSeveral,
  isScarce: isProcessorScarce,
});

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
