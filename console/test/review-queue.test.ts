import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aheadIn,
  emptyQueue,
  type Queue,
  shownIn,
  undoMax,
  withFailed,
  withItem,
  without,
  withoutMore,
  withPutOff,
  withSaved,
  withStep,
  withUndone,
} from '../src/pages/reviewing/queue.ts';

interface Item {
  id: string;
}
type Step = (queue: Queue<Item>) => Queue<Item>;

const next: Step = (queue) => withStep(queue, 1);
const back: Step = (queue) => withStep(queue, -1);
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

/** A queue of these records, in this order. */
const queueOf = (...ids: string[]): Queue<Item> =>
  ids.reduce((queue, id) => withItem(queue, { id }), emptyQueue<Item>());

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(12).map(
    (id): Step =>
      (queue) =>
        withItem(queue, { id: `${id}` }),
  ),
  fc.nat(12).map(
    (id): Step =>
      (queue) =>
        withFailed(queue, { id: `${id}` }),
  ),
  fc.constantFrom<Step>(withSaved, withUndone, withPutOff, withoutMore, next, back),
);

/** A queue after any steps that a person, the server and the network may take. */
const anyQueue = fc
  .array(anyStep, { maxLength: 60 })
  .map((steps) => steps.reduce((queue, step) => step(queue), emptyQueue<Item>()));

describe('the queue of a reviewer', () => {
  test('has each record once: to be shown, or done', () => {
    fc.assert(
      fc.property(anyQueue, ({ items, done, saved }) => {
        const all = [...idsOf(items), ...done];
        expect(new Set(all).size).toBe(all.length);
        expect(idsOf(saved).every((id) => done.has(id))).toBe(true);
        expect(saved.length).toBeLessThanOrEqual(undoMax);
      }),
    );
  });

  test('loses no record: whatever a person does, it is there or done', () => {
    fc.assert(
      fc.property(anyQueue, anyStep, (queue, step) => {
        const after = step(queue);
        const known = ({ items, done }: Queue<Item>) => new Set([...idsOf(items), ...done]);
        for (const id of known(queue)) expect(known(after)).toContain(id);
      }),
    );
  });

  test('shows a record of those that were not put off, or none', () => {
    fc.assert(
      fc.property(anyQueue, (queue) => {
        const front = queue.items.length - queue.putOff;
        expect(queue.at).toBeGreaterThanOrEqual(0);
        expect(queue.at).toBeLessThanOrEqual(front);
        expect(shownIn(queue)).toBe(queue.at < front ? queue.items[queue.at] : undefined);
      }),
    );
  });

  test('is as before when a save is taken back', () => {
    fc.assert(
      fc.property(anyQueue, (queue) => {
        const before = withItem({ ...queue, saved: queue.saved.slice(1) }, { id: 'a new one' });
        expect(withUndone(withSaved(before))).toEqual(before);
      }),
    );
  });

  test('takes ten saves back, the newest first, and the eleventh not', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `${index}`);
    const all = ids.reduce(withSaved, queueOf(...ids));
    const undone = ids.reduce(withUndone, all);
    expect(idsOf(undone.items)).toEqual(ids.slice(2));
    expect([...undone.done]).toEqual(['0', '1']);
  });

  test('goes on showing the same record when another could not be saved', () => {
    fc.assert(
      fc.property(anyQueue, (queue) => {
        for (const id of queue.done) {
          const after = withFailed(queue, { id });
          const shown = shownIn(queue);
          expect(shownIn(after)?.id).toBe(shown ? shown.id : id);
          expect(idsOf([shownIn(after)!, ...aheadIn(after)])).toContain(id);
          expect(idsOf(after.saved)).not.toContain(id);
        }
      }),
    );
  });

  test('a record that failed is back once, also where it was taken back meanwhile', () => {
    const undone = withUndone(withSaved(queueOf('a', 'b')));
    expect(withFailed(undone, { id: 'a' })).toEqual(undone);
  });

  test('what is put off comes after all that the server still has, in its order', () => {
    let queue = withPutOff(queueOf('a', 'b'));
    queue = withPutOff(queue);
    expect(shownIn(queue)).toBeUndefined();
    queue = withItem(queue, { id: 'c' });
    expect(shownIn(queue)?.id).toBe('c');
    queue = withoutMore(withSaved(queue));
    expect(idsOf(queue.items)).toEqual(['a', 'b']);
    expect(shownIn(queue)?.id).toBe('a');
    expect(shownIn(withPutOff(queue))?.id).toBe('b');
    expect(shownIn(withPutOff(withPutOff(queue)))?.id).toBe('a');
  });

  test('what is passed over is there on the way back', () => {
    const queue = next(next(queueOf('a', 'b')));
    expect(shownIn(queue)).toBeUndefined();
    expect(shownIn(next(queue))).toBeUndefined();
    expect(shownIn(back(queue))?.id).toBe('b');
    expect(shownIn(back(back(back(queue))))?.id).toBe('a');
  });

  test('a record that somebody else took is gone, and the shown one stays', () => {
    fc.assert(
      fc.property(anyQueue, (queue) => {
        const shown = shownIn(queue);
        for (const { id } of queue.items) {
          if (id === shown?.id) continue;
          const after = without(queue, id);
          expect(shownIn(after)).toBe(shown);
          expect(idsOf(after.items)).not.toContain(id);
        }
      }),
    );
  });
});
