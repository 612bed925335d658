import { pointerTo } from '@assay/json/pointer';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type FilteredMetric,
  type RecordState,
  recordLanguage,
  recordOutcomes,
} from '../src/pages/run/record-language.ts';
import { type RunListState, runLanguage } from '../src/pages/runs/run-language.ts';
import { caseLanguage } from '../src/pages/testset/case-language.ts';
import { completionsOf, wordAt } from '../src/parts/filter/completion.ts';
import {
  draftOf,
  type FilterLanguage,
  pillsOf,
  readDraft,
  writeFilters,
} from '../src/parts/filter/language.ts';
import { parse, print, type Term } from '../src/parts/filter/syntax.ts';

const id = (digit: number) => `0190aaaa-bbbb-7ccc-8ddd-${String(digit).padStart(12, '0')}`;

const metric = (
  digit: number,
  name: string,
  outputType: FilteredMetric['outputType'] = 'int',
): FilteredMetric => ({
  metricVersionId: id(digit),
  name,
  outputType,
  passingThreshold: outputType === 'boolean' ? null : 0,
});

const metrics = [
  metric(1, 'Helpful', 'boolean'),
  metric(2, 'Score'),
  metric(3, 'Answer quality', 'float'),
];
const members = [
  { value: id(11), name: 'Ada Obi' },
  { value: id(12), name: 'Bo' },
];
const words = { metrics, tags: ['regression', 'discuss'], members };

const languageOf = (state: RecordState, given: FilteredMetric[] = metrics) =>
  recordLanguage(state, { ...words, metrics: given });

const read = (draft: string, state: RecordState = {}) => readDraft(languageOf(state), state, draft);

/** A state as the URL has it: without the parameters that are undefined. */
const withValues = <State>(state: State): State => JSON.parse(JSON.stringify(state));

const hostile = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('"', '\\', ' ', ':', '~', '<', '>=', '..', '\n', 'a', 'tag', '\u202e', '://'),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

test('terms and text of any characters are read as they were written', () => {
  const term: fc.Arbitrary<Term> = fc.record({
    key: hostile,
    sign: fc.constantFrom(':', '>=', '<='),
    value: hostile,
  });
  const text = fc.oneof(fc.constant(''), hostile);
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 4 }),
      text,
      fc.func(fc.boolean()),
      (terms, text, is) => {
        const isKey = (key: string) => terms.some((one) => one.key === key) || is(key);
        const written = parse(print({ terms, text }, isKey), isKey);
        expect(written.text).toBe(text);
        expect(written.terms.map(({ key, sign, value }) => ({ key, sign, value }))).toEqual(terms);
      },
    ),
    { numRuns: volume(2000) },
  );
});

test('any draft at all is read: each part is a filter, a mistake at its place, or text', () => {
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ maxLength: 200 })), (draft) => {
      const { mistakes } = read(draft);
      for (const { from, to, says } of mistakes) {
        expect(draft.slice(from, to)).not.toBe('');
        expect(says).toMatch(/\.$/);
      }
      const rest = draftOf(draft, mistakes);
      for (const [index, { from, to }] of rest.mistakes.entries())
        expect(rest.draft.slice(from, to)).toBe(
          draft.slice(mistakes[index]!.from, mistakes[index]!.to),
        );
      for (const caret of [0, draft.length >> 1, draft.length]) wordAt(draft, caret);
    }),
    { numRuns: volume(1000) },
  );
});

test('the filters of records that a link holds are written, and read as the same filters', () => {
  const names = fc.uniqueArray(fc.oneof(hostile, fc.constantFrom('tag', 'Order', 'Score')), {
    minLength: 1,
    maxLength: 4,
  });
  const number = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.double({ min: 0, max: 1 }));
  const ofMetric = (given: FilteredMetric[]) =>
    fc.nat(given.length - 1).chain((index) => {
      const { metricVersionId, outputType } = given[index]!;
      const value = {
        boolean: fc.constantFrom('true', 'false'),
        int: fc.integer({ min: 1, max: 5 }).map(String),
        float: fc.double({ min: 0, max: 1, noNaN: true }).map(String),
      }[outputType];
      const bounds = fc
        .tuple(number, number)
        .map((both) => both.toSorted((one, other) => one - other).map((bound) => String(bound + 0)))
        .filter((both) => both.every((bound) => bound !== 'NaN'));
      return fc
        .record({
          outcome: fc.option(fc.constantFrom(...recordOutcomes), { nil: undefined }),
          value: fc.option(value, { nil: undefined }),
          bounds: fc.option(bounds, { nil: undefined }),
          parts: fc.constantFrom('both', 'min', 'max'),
        })
        .map(({ outcome, value, bounds, parts }): RecordState => {
          const isRange = outputType !== 'boolean' && bounds !== undefined;
          const min = isRange && parts !== 'max' ? bounds[0] : undefined;
          const max = isRange && parts !== 'min' ? bounds[1] : undefined;
          const isFiltered = outcome ?? value ?? min ?? max;
          return isFiltered ? { metricVersionId, outcome, value, min, max } : {};
        });
    });
  const order = fc.constantFrom<RecordState>(
    {},
    { order: 'desc' },
    { order: 'asc' },
    { sort: `value:${id(1)}`, order: 'desc' },
    { sort: `value:${id(1)}`, order: 'asc' },
  );
  const row = fc.record({
    breakdownBy: fc.oneof(
      fc.constant('tags'),
      hostile.map((name) => `/inputs${pointerTo([name])}`),
      fc.constant('/metadata/a=1'),
    ),
    breakdownValue: fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.constantFrom('none', '1.0', `sha256:${'0a'.repeat(32)}`),
    ),
  });
  const others = fc.record(
    {
      text: hostile,
      tags: fc.uniqueArray(
        hostile.filter((tag) => tag.trim() !== ''),
        { minLength: 1 },
      ),
      assignee: fc.constantFrom('me', id(11), id(99)),
      hasAnnotations: fc.constantFrom('true' as const, 'false' as const),
      hasError: fc.constantFrom('true' as const, 'false' as const),
      testcaseId: fc.constant(id(50)),
      row,
    },
    { requiredKeys: [] },
  );
  const given = names.map((all) =>
    all.map((name, index) =>
      metric(index + 1, name, (['boolean', 'int', 'float'] as const)[index % 3]!),
    ),
  );
  fc.assert(
    fc.property(
      given.chain((all) => fc.tuple(fc.constant(all), ofMetric(all), order, others)),
      ([all, one, ordered, { row, ...rest }]) => {
        const state: RecordState = { ...one, ...ordered, ...rest, ...row };
        const language = languageOf(state, all);
        const { state: after, mistakes } = readDraft(language, {}, writeFilters(language, state));
        expect(mistakes).toEqual([]);
        expect(withValues(after)).toEqual(withValues(state));
      },
    ),
    { numRuns: volume(1000) },
  );
});

test('a field is filtered by a word as by the text that it is, and refused where it is none', () => {
  const stateOf = (draft: string) => read(draft).state;
  const row = { breakdownBy: '/inputs/topic', breakdownValue: '"refund"' };
  expect(stateOf('field:/inputs/topic=refund')).toMatchObject(row);
  expect(stateOf('field:/inputs/topic=none')).toMatchObject({ ...row, breakdownValue: 'none' });
  expect(stateOf('field:/metadata/n=1')).toMatchObject({ breakdownValue: '1' });
  for (const draft of ['field:topic=refund', 'field:/inputs/topic', 'field:/inputs/topic='])
    expect(read(draft).mistakes, draft).toHaveLength(1);
});

test('the filters of runs and of testcases are written, and read as the same filters', () => {
  const language = runLanguage({
    names: {
      systems: [],
      testsets: [],
      members: [],
    },
    metrics: [{ metricId: id(4), name: 'Every field right', outputType: 'boolean' }],
    labels: [],
    state: {},
  });
  const label = fc
    .tuple(fc.stringMatching(/^[^:]{1,64}$/), fc.string({ minLength: 1, maxLength: 256 }))
    .map(([key, value]) => `${key}:${value}`);
  const state: fc.Arbitrary<RunListState> = fc.record(
    {
      name: hostile,
      status: fc.constantFrom('completed' as const, 'running_scoring' as const),
      label: fc.uniqueArray(label, { minLength: 1 }),
      testsetId: fc.constant(id(1)),
      systemVersionId: fc.constant(id(2)),
      createdBy: fc.constantFrom('me', id(3)),
      source: fc.constantFrom('API' as const, 'Kickoff' as const),
      from: fc.constantFrom('2026-11-20T00:00:00.000Z', '2026-11-20T09:30:15.250Z'),
      to: fc.constant('2026-11-21T23:00:00.000Z'),
      order: fc.constantFrom('asc' as const, 'desc' as const),
    },
    { requiredKeys: [] },
  );
  const roundTrip = <State>(given: FilterLanguage<State>, one: State) => {
    const { state: after, mistakes } = readDraft(given, {} as State, writeFilters(given, one));
    expect(mistakes).toEqual([]);
    expect(withValues(after)).toEqual(withValues(one));
  };
  fc.assert(fc.property(state, (one) => roundTrip(language, one)));
  fc.assert(
    fc.property(hostile, (q) => roundTrip(caseLanguage(), { q, invalid: 'true' as const })),
  );
});

test('runs are found by the mean of a metric, as a number or a percentage', () => {
  const metrics = [
    { metricId: id(4), name: 'Every field right', outputType: 'boolean' as const },
    { metricId: id(5), name: 'Helpful', outputType: 'int' as const },
  ];
  const names = { systems: [], testsets: [], members: [] };
  const read = (draft: string, state: RunListState = {}) => {
    const language = runLanguage({ names, metrics, labels: [], state });
    const { mistakes, state: after } = readDraft(language, state, draft);
    return mistakes[0]?.says ?? withValues(after);
  };
  expect(read('"Every field right">=0.9')).toEqual({ metricId: id(4), min: '0.9' });
  expect(read('"Every field right">=90%')).toEqual({ metricId: id(4), min: '0.9' });
  expect(read('Helpful>=3 Helpful<=4.5')).toEqual({ metricId: id(5), min: '3', max: '4.5' });
  // One metric at a time.
  expect(read('Helpful<=4', { metricId: id(4), min: '0.9' })).toEqual({
    metricId: id(5),
    max: '4',
  });
  expect(read('Helpful>=good')).toBe('“good” is no number: write 0.9 or 90%.');
  const language = runLanguage({ names, metrics, labels: [], state: {} });
  const sorted = { metricId: id(5), sort: 'mean' as const, order: 'asc' as const };
  const pills = (state: RunListState) => pillsOf(language, state).map(({ says }) => says);
  expect(pills({ metricId: id(4), min: '0.9' })).toEqual(['Every field right at least: 90 %']);
  expect(pills(sorted)).toEqual(['Order: lowest Helpful first']);
});

test('runs are found by when they were made: of a day, since and until one, and of the last days', () => {
  const made = (draft: string) => {
    const state = {};
    const names = { systems: [], testsets: [], members: [] };
    const read = readDraft(runLanguage({ names, metrics: [], labels: [], state }), state, draft);
    return read.mistakes[0]?.says ?? withValues(read.state);
  };
  const day = (date: number) => new Date(2026, 10, date).toISOString();
  expect(made('made:2026-11-20')).toEqual({ from: day(20), to: day(21) });
  expect(made('made>=2026-11-20')).toEqual({ from: day(20) });
  expect(made('made:>=2026-11-20')).toEqual({ from: day(20) });
  expect(made('made:>2026-11-20')).toEqual({ from: day(21) });
  expect(made('made<=2026-11-20')).toEqual({ to: day(21) });
  expect(made('made:<2026-11-20')).toEqual({ to: day(20) });
  expect(made('made>=2026-11-20 made<=2026-11-22')).toEqual({ from: day(20), to: day(23) });
  for (const week of ['made:7d', 'made:<7d', 'made:"last 7 days"']) {
    const { from } = made(week) as RunListState;
    expect(Date.now() - Date.parse(from!) - 7 * 86_400_000).toBeLessThan(60_000);
  }
  expect(made('made:>7d')).toEqual({ to: expect.any(String) });
  expect(made('order:z-a')).toEqual({ sort: 'name', order: 'desc' });
  expect(made('order:oldest')).toEqual({ order: 'asc' });
  expect(made('made:yesterday')).toBe(
    '“yesterday” is no time: write 2026-11-20, made>=2026-11-20, made<=2026-11-20T09:30, or made:7d for the last seven days.',
  );
  expect(made('made>=7d')).toBe(
    '“7d” is no date: write 2026-11-20, or made:7d for the time since then.',
  );
  expect(made('made<7d')).toBe('After “made” there can be “:”, “>=”, “<=”.');
  expect(made('made:7d made>=2026-11-20')).toBe(
    '“made:7d” and “made>=2026-11-20” cannot be in force together.',
  );
});

test('filters are written as words, in any case, with names for ids and quotes for spaces', () => {
  const { state, mistakes } = read(
    'helpful:FAIL tag:regression tag:"two words" assignee:"ada obi" refund "in" full',
  );
  expect(mistakes).toEqual([]);
  expect(withValues(state)).toEqual({
    metricVersionId: id(1),
    outcome: 'fail',
    tags: ['regression', 'two words'],
    assignee: id(11),
    text: 'refund "in" full',
  });
  expect(withValues(read('Score>=2 Score<=4').state)).toEqual(withValues(read('Score:2..4').state));
  expect(withValues(read('"Answer quality":failed').state).metricVersionId).toBe(id(3));
  expect(withValues(read('highest:Score').state)).toEqual({
    sort: `value:${id(2)}`,
    order: 'desc',
  });
});

test.each([
  [
    'Helpfull:fail',
    'Helpfull:fail',
    '“Helpfull” is no filter here: in quotes it is searched as text.',
  ],
  ['tag:a Score>4', 'Score>4', 'After “Score” there can be “:”, “>=”, “<=”.'],
  [
    'Helpful:good',
    'Helpful:good',
    '“Helpful” is not “good”: it can be pass, fail, not scored, pending, waits for a person, error, does not fit, or true or false.',
  ],
  [
    'Score:9',
    'Score:9',
    '“Score” is not “9”: it can be pass, fail, not scored, pending, waits for a person, error, does not fit, or a whole number from 1 to 5.',
  ],
  ['Score:4..2', 'Score:4..2', 'Nothing is at least 4 and at most 2.'],
  ['Score>=many', 'Score>=many', '“many” is not a number, such as 0.5.'],
  ['assignee:zoe', 'assignee:zoe', '“Assigned to” is not “zoe”: it can be me, Ada Obi, Bo.'],
  ['tag:', 'tag:', 'Write a value after tag:.'],
  ['tag:"two words', 'tag:"two words', 'The quote after tag: is not closed.'],
  [
    'answer~"refund"',
    'answer~"refund"',
    'A text is searched everywhere: write it without a name and “~” before it.',
  ],
  [
    'Helpful:fail Score>=4',
    'Score>=4',
    '“Helpful:fail” and “Score>=4” cannot be in force together.',
  ],
])('a mistake is told at its place in one sentence: %s', (draft, part, says) => {
  const { mistakes } = read(draft);
  expect(mistakes.map(({ from, to }) => draft.slice(from, to))).toEqual([part]);
  expect(mistakes[0]!.says).toBe(says);
});

test.each([
  'https://assay.example/a?b=c',
  'Error: not found',
  'a->b',
  '<b>tag</b>',
  '5" disk',
  '~/home',
])('text that only looks like a filter is searched: %s', (draft) => {
  expect(read(draft)).toMatchObject({ text: draft, mistakes: [] });
});

test('what is understood takes effect, and the mistakes alone stay to be mended', () => {
  const draft = 'tag:a Helpfull:fail refund Score:9';
  const { state, mistakes } = read(draft);
  expect(withValues(state)).toEqual({ tags: ['a'], text: 'refund' });
  expect(draftOf(draft, mistakes).draft).toBe('Helpfull:fail Score:9');
});

test('a filter by another metric takes the place of the one in force', () => {
  const state: RecordState = { metricVersionId: id(1), outcome: 'fail', tags: ['a'] };
  expect(withValues(read('Score>=4', state).state)).toEqual({
    metricVersionId: id(2),
    min: '4',
    tags: ['a'],
  });
});

test('each pill takes away its own filter, and never leaves half a filter', () => {
  const state: RecordState = {
    metricVersionId: id(2),
    outcome: 'fail',
    min: '2',
    tags: ['a', 'b'],
  };
  const pills = pillsOf(languageOf(state), state);
  expect(pills.map(({ says }) => says)).toEqual([
    'Score: fail',
    'Score at least: 2',
    'Tag: a',
    'Tag: b',
  ]);
  const without = (index: number, from = state): RecordState =>
    withValues({ ...from, ...pillsOf(languageOf(from), from)[index]!.removal });
  expect(without(2)).toEqual({ ...state, tags: ['b'] });
  expect(without(0, without(0))).toEqual({ tags: ['a', 'b'] });
});

test('a link of any content shows its filters, so that each can be taken away', () => {
  const parameter = fc.option(hostile, { nil: undefined });
  const state = fc.record({
    metricVersionId: parameter,
    value: parameter,
    min: parameter,
    assignee: parameter,
    testcaseId: parameter,
    sort: parameter,
    text: parameter,
  });
  fc.assert(
    fc.property(state, (one) => {
      let left: RecordState = one;
      for (let step = 0; step < 8; step += 1) {
        const [pill] = pillsOf(languageOf(left), left);
        left = { ...left, ...pill?.removal };
      }
      const { metricVersionId: _half, ...rest } = left;
      expect(withValues(rest)).toEqual({});
    }),
  );
});

test('what is begun is completed from keys and values; those that begin with it come first', () => {
  const offered = (draft: string, state: RecordState = {}) =>
    completionsOf(languageOf(state), { state, word: wordAt(draft, draft.length).word }).map(
      ({ written }) => written,
    );
  expect(offered('regr')).toEqual(['tag:regression']);
  expect(offered('refund Answer')).toContain('"Answer quality":');
  expect(offered('Helpful:')).toEqual(recordOutcomes.map((outcome) => `Helpful:${outcome}`));
  expect(offered('"Answer quality":fa')).toEqual([
    '"Answer quality":fail',
    '"Answer quality":failed',
  ]);
  expect(offered('assignee:o')).toEqual(['assignee:"Ada Obi"', 'assignee:Bo']);
  expect(offered('tag:', { tags: ['discuss'] })).toEqual(['tag:regression']);
});
