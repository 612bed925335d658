import { describe, expect, test, vi } from 'vitest';
import { createDrafts } from '../src/pages/reviewing/drafts.ts';
import { shownIn } from '../src/pages/reviewing/queue.ts';
import {
  createReview,
  type LostLease,
  type ReviewCalls,
  type ReviewedRecord,
  type Score,
} from '../src/pages/reviewing/review.ts';

const metric = {
  id: 'helpful',
  metricVersionId: 'helpful-1',
  name: 'Helpful',
  outputType: 'boolean' as const,
  guidelines: '',
};
const leaseMs = 600_000;

/** Storage as browsers have it. */
function createStorage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

/** A review of the records "1" to "n", a server that can be told to fail, and a clock. */
function reviewOf(records: number) {
  const clock = { at: 1_000_000_000_000 };
  const scores = new Map<string, Score>();
  const asked: string[] = [];
  const server = {
    fails: false,
    /** Who has a record in place of the reviewer. */
    takenBy: new Map<string, string>(),
  };
  const itemOf = (id: number): ReviewedRecord => ({ id: `${id}`, runId: 'run', metrics: [metric] });
  const leased = (item: ReviewedRecord) => ({ item, leaseUntil: clock.at + leaseMs });
  const ask = (what: string) => {
    asked.push(what);
    if (server.fails) throw new Error('The server is away.');
  };
  const calls: ReviewCalls<ReviewedRecord> = {
    take: async (after) => {
      ask(`take after ${after ?? 'nothing'}`);
      for (let id = Number(after ?? 0) + 1; id <= records; id += 1)
        if (!scores.has(`${id}`) && !server.takenBy.has(`${id}`)) return leased(itemOf(id));
      return undefined;
    },
    renew: async (item) => {
      ask(`renew ${item.id}`);
      const owner = server.takenBy.get(item.id);
      return owner ? ({ lostTo: [owner] } satisfies LostLease) : leased(item);
    },
    put: async ({ id }, _metric, score) => {
      ask(`put ${id}`);
      scores.set(id, score);
    },
    remove: async ({ id }) => {
      ask(`remove ${id}`);
      scores.delete(id);
    },
    readAhead: ({ id }) => void asked.push(`read ${id}`),
  };
  const storage = createStorage();
  const now = () => clock.at;
  const drafts = createDrafts(storage, { userId: 'ada', now });
  const review = createReview({ calls, drafts, now });
  const shown = () => shownIn(review.state().queue)!;
  const settle = () => vi.waitFor(() => expect(review.state().saving.size).toBe(0));
  const begin = async () => {
    await review.fill();
    return review;
  };
  const give = (value: string) => review.edit(shown(), metric, { value });
  return { review, begin, shown, give, settle, scores, asked, server, storage, clock };
}

describe('a review', () => {
  test('holds and reads three records ahead, and no more', async () => {
    const { begin, asked, shown } = reviewOf(10);
    await begin();
    expect(shown().id).toBe('1');
    expect(asked.filter((what) => what.startsWith('read'))).toEqual(
      ['1', '2', '3', '4'].map((id) => `read ${id}`),
    );
  });

  test('shows the next record at once, while the score is on its way', async () => {
    const { begin, give, shown, settle, scores } = reviewOf(3);
    const review = await begin();
    give('true');
    review.save();
    expect(shown().id).toBe('2');
    expect(scores.size).toBe(0);
    await settle();
    expect(scores.get('1')).toEqual({ value: true });
  });

  test('ends when the server has nothing more, also nothing that has come back', async () => {
    const { begin, give, settle, review, asked } = reviewOf(2);
    await begin();
    for (const _ of [1, 2]) {
      give('false');
      review.save();
    }
    await settle();
    expect(review.state().queue.isExhausted).toBe(true);
    expect(asked.filter((what) => what === 'take after nothing').length).toBeGreaterThan(1);
  });

  test('saves nothing that is no value, and says where', async () => {
    const { begin, review, shown, scores } = reviewOf(1);
    await begin();
    review.save();
    expect(review.state().fault).toEqual({
      metricVersionId: 'helpful-1',
      message: 'Must be pass or fail.',
    });
    expect(shown().id).toBe('1');
    expect(scores.size).toBe(0);
  });

  test('brings a record back as the next one when it could not be saved, with its draft', async () => {
    const { begin, review, give, shown, settle, server, storage } = reviewOf(3);
    await begin();
    give('true');
    server.fails = true;
    review.save();
    await settle();
    expect(shown().id).toBe('2');
    review.step(1);
    expect(shown().id).toBe('1');
    expect(review.scoreOf(shown(), metric).value).toBe('true');
    expect(review.state().failures.get('1')?.error.message).toBe('The server is away.');
    expect(storage.length).toBe(1);
    server.fails = false;
    review.save();
    await settle();
    expect(storage.length).toBe(0);
    expect(review.state().failures.size).toBe(0);
  });

  test('takes back after the save has arrived, however fast it was pressed', async () => {
    const { begin, review, give, shown, settle, asked, scores } = reviewOf(2);
    await begin();
    give('true');
    review.save();
    review.undo();
    expect(shown().id).toBe('1');
    await settle();
    expect(scores.size).toBe(0);
    const order = asked.filter((what) => /^(put|remove)/.test(what));
    expect(order).toEqual(['put 1', 'remove 1']);
    expect(review.scoreOf(shown(), metric).value).toBe('true');
  });

  test('says who took the shown record, drops one that is only ahead, and saves neither', async () => {
    const { begin, review, give, shown, server, scores } = reviewOf(3);
    await begin();
    give('true');
    server.takenBy.set('1', 'bob').set('2', 'bob');
    await review.renewDue({ isBack: true });
    expect(review.state().lost.get('1')).toEqual(['bob']);
    review.save();
    expect(shown().id).toBe('1');
    review.step(1);
    expect(shown().id).toBe('3');
    review.step(-1);
    expect(shown().id).toBe('3');
    expect(scores.size).toBe(0);
  });

  test('never replaces the score of whoever took the record when the lease had run out', async () => {
    const { begin, review, give, shown, settle, server, scores, clock } = reviewOf(2);
    await begin();
    give('true');
    clock.at += leaseMs + 1;
    server.takenBy.set('1', 'bob');
    review.save();
    await settle();
    expect(scores.size).toBe(0);
    review.step(1);
    expect(shown().id).toBe('1');
    expect(review.state().lost.get('1')).toEqual(['bob']);
  });

  test('prolongs leases in time, and not more often', async () => {
    const { begin, review, asked, clock } = reviewOf(1);
    await begin();
    await review.renewDue();
    expect(asked).not.toContain('renew 1');
    clock.at += 120_000;
    await review.renewDue();
    await review.renewDue();
    expect(asked.filter((what) => what === 'renew 1')).toHaveLength(1);
  });

  test('goes on after the server was away', async () => {
    const { review, server, shown } = reviewOf(1);
    server.fails = true;
    await review.fill();
    expect(review.state().error?.message).toBe('The server is away.');
    server.fails = false;
    await review.fill();
    expect(review.state().error).toBeUndefined();
    expect(shown().id).toBe('1');
  });
});

test('drafts that nobody came back to in a month are forgotten, and no others', () => {
  const storage = createStorage();
  const day = 24 * 60 * 60 * 1000;
  const draft = { 'helpful-1': { value: 'true', reason: '' } };
  createDrafts(storage, { userId: 'ada', now: () => day }).put('old', draft);
  createDrafts(storage, { userId: 'bob', now: () => day }).put('other', draft);
  createDrafts(storage, { userId: 'ada', now: () => 20 * day }).put('new', draft);
  const drafts = createDrafts(storage, { userId: 'ada', now: () => 40 * day });
  expect(drafts.get('old')).toBeUndefined();
  expect(drafts.get('new')).toEqual(draft);
  expect(storage.length).toBe(2);
});
