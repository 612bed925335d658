/** Saved records that can be taken back. */
export const undoMax = 10;

interface Entry {
  id: string;
}

/** The records that a person goes through, as far as they are known here. It is never changed. */
export interface Queue<Item extends Entry> {
  /** Records without a saved score, in the order in which they are shown. */
  items: readonly Item[];
  /** Which of them is shown; none where no more are known. */
  at: number;
  /** How many at the end were put off: those that the server has still to give go before them. */
  putOff: number;
  /** Records that were saved and can be taken back, the newest last. */
  saved: readonly Item[];
  /** Records that were saved, or are being saved: they do not come again. */
  done: ReadonlySet<string>;
  /** The server has no more. */
  isExhausted: boolean;
}

export const emptyQueue = <Item extends Entry>(): Queue<Item> => ({
  items: [],
  at: 0,
  putOff: 0,
  saved: [],
  done: new Set(),
  isExhausted: false,
});

/** Returns the record that is shown: none that was put off while the server may have others. */
export const shownIn = <Item extends Entry>({
  items,
  at,
  putOff,
}: Queue<Item>): Item | undefined => (at < items.length - putOff ? items[at] : undefined);

/** Returns the records after the shown one, without those that were put off. */
export const aheadIn = <Item extends Entry>({ items, at, putOff }: Queue<Item>): Item[] =>
  items.slice(at + 1, items.length - putOff);

/** Is a record in the queue, or done? */
export const isKnown = <Item extends Entry>(
  { items, done }: Queue<Item>,
  recordId: string,
): boolean => done.has(recordId) || items.some(({ id }) => id === recordId);

/** Adds a record that the server gave, unless it is known. */
export function withItem<Item extends Entry>(queue: Queue<Item>, item: Item): Queue<Item> {
  const { items, putOff } = queue;
  if (isKnown(queue, item.id)) return queue;
  return {
    ...queue,
    items: items.toSpliced(items.length - putOff, 0, item),
    isExhausted: false,
  };
}

/** Notes that the server has no more: the records that were put off are now the next ones. */
export const withoutMore = <Item extends Entry>(queue: Queue<Item>): Queue<Item> => ({
  ...queue,
  putOff: 0,
  isExhausted: true,
});

/** Takes the shown record out as saved, and shows the next one. */
export function withSaved<Item extends Entry>(queue: Queue<Item>): Queue<Item> {
  const item = shownIn(queue);
  if (!item) return queue;
  return {
    ...without(queue, item.id),
    saved: [...queue.saved, item].slice(-undoMax),
    done: new Set([...queue.done, item.id]),
  };
}

/** Shows the record again that was saved last. */
export function withUndone<Item extends Entry>(queue: Queue<Item>): Queue<Item> {
  const item = queue.saved.at(-1);
  return item ? returned(queue, item, queue.at) : queue;
}

/**
 * Puts a record back that could not be saved: as the next one, so that a key that is being pressed
 * is never meant for another record than the one that is seen.
 */
export const withFailed = <Item extends Entry>(queue: Queue<Item>, item: Item): Queue<Item> =>
  queue.done.has(item.id) ? returned(queue, item, queue.at + (shownIn(queue) ? 1 : 0)) : queue;

const returned = <Item extends Entry>(
  queue: Queue<Item>,
  item: Item,
  place: number,
): Queue<Item> => ({
  ...queue,
  items: queue.items.toSpliced(place, 0, item),
  saved: queue.saved.filter(({ id }) => id !== item.id),
  done: new Set([...queue.done].filter((id) => id !== item.id)),
});

/** Moves the shown record to the end. */
export function withPutOff<Item extends Entry>(queue: Queue<Item>): Queue<Item> {
  const item = shownIn(queue);
  if (!item) return queue;
  const rest = without(queue, item.id);
  return {
    ...rest,
    items: [...rest.items, item],
    putOff: queue.isExhausted ? 0 : rest.putOff + 1,
  };
}

/** Shows the next record, or by −1 the one before; nothing is saved. */
export function withStep<Item extends Entry>(queue: Queue<Item>, by: 1 | -1): Queue<Item> {
  if (by === 1 && !shownIn(queue)) return queue;
  return { ...queue, at: Math.max(0, queue.at + by) };
}

/** Takes a record out that is not this person's to score any more. */
export function without<Item extends Entry>(queue: Queue<Item>, id: string): Queue<Item> {
  const { items, at, putOff } = queue;
  const place = items.findIndex((item) => item.id === id);
  if (place === -1) return queue;
  return {
    ...queue,
    items: items.toSpliced(place, 1),
    at: place < at ? at - 1 : at,
    putOff: place >= items.length - putOff ? putOff - 1 : putOff,
  };
}
