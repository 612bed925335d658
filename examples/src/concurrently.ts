/**
 * Works on the items in their order, `inFlightMax` at a time. After a failure no further item is
 * begun, and the failure is thrown when the items in flight have ended.
 */
export async function concurrently<Item>({
  items,
  inFlightMax,
  work,
}: {
  items: Iterable<Item>;
  inFlightMax: number;
  work: (item: Item) => Promise<void>;
}): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    for (let next = waiting.next(); !next.done && !hasFailed; next = waiting.next()) {
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: inFlightMax }, worker));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
