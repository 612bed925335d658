import { closedLoop } from './load/closed-loop.ts';
import { download } from './load/download.ts';
import { openLoop } from './load/open-loop.ts';
import { upload } from './load/upload.ts';
import type { Loads, Order, Outcome } from './load.ts';

const loads: Loads = { closedLoop, openLoop, upload, download };
const underWay = new Map<number, AbortController>();

// Ends with the process that asks, in whatever way that ends.
process.on('disconnect', () => process.exit(0));
process.on('message', ({ id, kind, load }: Order) => {
  if (load) void run({ id, kind, load });
  else underWay.get(id)?.abort();
});

async function run({ id, kind, load }: Required<Order>): Promise<void> {
  const ending = new AbortController();
  underWay.set(id, ending);
  const outcome = await loads[kind](load as never, ending.signal).then(
    (measured) => ({ measured }),
    (error: Error) => ({ failure: error.message }),
  );
  underWay.delete(id);
  process.send!({ id, ...outcome } satisfies Outcome);
}
