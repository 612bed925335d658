import { expect, test } from 'vitest';
import { choose, LookupFailure, nearNames, unknownName } from '../named.ts';

test('names that are like a mistyped one are found, others are not', () => {
  const names = ['Support', 'Support (old)', 'Billing', 'support'];
  expect(nearNames('Suport', names)).toEqual(['Support', 'support', 'Support (old)']);
  expect(nearNames('xyz', names)).toEqual([]);
});

test('an unknown name ends with a remedy, whatever there is', () => {
  const wanted = { kind: 'run', wanted: 'zzz' };
  expect(unknownName({ ...wanted, kind: 'testset' }, []).message).toContain('no testset yet');
  // Runs may have no names.
  expect(unknownName(wanted, []).message).toContain('There is no run with a name yet');
  const many = Array.from({ length: 7 }, (_, index) => `Run ${index}`);
  expect(unknownName(wanted, many).message).toMatch(/"Run 4" and 2 more: give one of them\.$/);
});

test('an item is found by its id before its name, and a miss names what is near', () => {
  const items = ['Questions', 'Answers', 'b'].map((name, index) => ({ id: 'abc'[index]!, name }));
  expect(choose(items, { kind: 'testset', wanted: 'b' }).name).toBe('Answers');
  expect(() => choose(items, { kind: 'testset', wanted: 'question' })).toThrow(
    'There is no testset "question". Did you mean "Questions"?',
  );
});

test('a name that several have lists their ids, and of runs the way to the newest', () => {
  const twins = ['a', 'b'].map((id) => ({ id, name: 'Twice' }));
  expect(() => choose(twins, { kind: 'testset', wanted: 'Twice' })).toThrow(
    '2 testsets are called "Twice": give an id, a or b.',
  );
  expect(() => choose(twins, { kind: 'run', wanted: 'Twice' })).toThrow(
    'give an id, a or b, or latest:Twice for the newest.',
  );
});

test('a failure has the names that are near, and steers no terminal', () => {
  const failure = unknownName({ kind: 'run', wanted: 'v2\u001b patern' }, ['v2 pattern', 'other']);
  expect(failure).toBeInstanceOf(LookupFailure);
  expect(failure.near).toEqual(['v2 pattern']);
  expect(failure.message).toBe('There is no run "v2\ufffd patern". Did you mean "v2 pattern"?');
});
