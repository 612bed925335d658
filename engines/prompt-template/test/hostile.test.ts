import { describe, expect, test } from 'vitest';
import { renderLimits } from '../limits.ts';
import { renderTemplate } from '../render.ts';

const twins = { one: 'z'.repeat(5_000_000), other: `${'z'.repeat(4_999_999)}z` };
const values = {
  inputs: {
    text: 'x'.repeat(5_000_000),
    list: Array.from({ length: 1_500_000 }, (_, index) => index % 10),
    fields: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index])),
    needle: `${'a'.repeat(1_000_000)}b${'a'.repeat(1_000_000)}`,
    haystack: 'a'.repeat(5_000_000),
    ...twins,
  },
  expected: {},
  outputs: {},
  guidelines: '',
};

const steps =
  'The template takes more than 1,000,000 steps: expressions, rounds of loops, and items of lists.';
const characters =
  'The template makes and searches texts of more than 32,000,000 characters together.';
const prompt = 'The prompt is longer than 1,000,000 characters.';
const depth =
  'The template goes deeper than 1,200 levels: a macro that calls itself must come to an end.';

const often = (body: string) => `{% for i in range(900000) %}${body}{% endfor %}`;
const doubling = (start: string, step: string, end: string) =>
  `{% set ns = namespace(t=${start}) %}{% for i in range(100000) %}{% set ns.t = ${step} %}{% endfor %}${end}`;

describe('a hostile template ends, and says why', () => {
  test.each([
    ['a long range', '{{ range(50000000) }}', steps],
    ['a range without end', '{{ range(0, 10 ** 300) }}', steps],
    ['a text many times', '{{ "x" * 100000000 }}', characters],
    ['a wide text', '{{ "x" | center(1000000000) }}', characters],
    [
      'a wide indent',
      '{{ "x\ny" | indent(999999999) }}',
      '`indent` can make at most 1,000,000 spaces.',
    ],
    [
      'loops in loops',
      '{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}',
      steps,
    ],
    ['a loop over a long text', '{% for c in inputs.text %}{% endfor %}', steps],
    ['a loop over a long list', '{% for c in inputs.list %}{% endfor %}', steps],
    ['long lists', '{{ inputs.list | join(",") }}', steps],
    ['sorted long lists', '{{ inputs.list | sort }}', steps],
    ['a long text', '{{ inputs.text }}', prompt],
    ['a short text often', often('{{ "abcdefghij" * 20 }}'), prompt],
    ['all of a large record', '{{ inputs }}', steps],
    [
      'replacements that double',
      doubling('"ab"', 'ns.t | replace("a", "aa")', '{{ ns.t }}'),
      steps,
    ],
    ['texts that double', doubling('"ab"', 'ns.t ~ ns.t', '{{ ns.t }}'), characters],
    ['lists that double', doubling('[1]', 'ns.t + ns.t', '{{ ns.t }}'), steps],
    [
      'lists of lists that double',
      doubling('[1]', '[ns.t, ns.t]', '{{ ns.t }}'),
      expect.stringMatching(/steps|deeper/),
    ],
    [
      'a value that holds itself',
      '{% set ns = namespace() %}{% set ns.t = ns %}{{ ns }}',
      'A value is nested deeper than 520 levels, too deep to become JSON.',
    ],
    ['a macro that calls itself', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', depth],
    [
      'a macro that calls itself by its default',
      '{% macro f(a=f()) %}{% endmacro %}{{ f() }}',
      depth,
    ],
    [
      'a macro that calls itself by a call block',
      '{% macro f() %}{% call f() %}{% endcall %}{% endmacro %}{{ f() }}',
      depth,
    ],
    [
      'a macro that calls itself twice',
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(100) }}',
      steps,
    ],
    [
      'equal long texts, often',
      often('{% if inputs.one == inputs.other %}{% endif %}'),
      characters,
    ],
    [
      'ordered long texts, often',
      often('{% if inputs.one < inputs.other %}{% endif %}'),
      characters,
    ],
    ['large objects, often', often('{% if inputs.fields == inputs.fields %}{% endif %}'), steps],
    ['whether a large object is empty, often', often('{% if inputs.fields %}{% endif %}'), steps],
    ['slices of long lists, often', often('{% set a = inputs.list[1:2] %}'), steps],
    ['a long path', '{{ [1] | map(attribute=inputs.text) }}', characters],
    ['a large power', '{{ 10 ** 400 }}', '`**` gives no finite number here.'],
  ])('%s', (_name, source, message) => {
    expect(renderTemplate({ source, values })).toMatchObject({
      ok: false,
      message,
      line: expect.any(Number),
    });
  });

  // V8's own search takes the product of both lengths for these two: hours.
  test('a long text is looked for in another in time in proportion to both', () => {
    const rendering = renderTemplate({ source: '{{ inputs.needle in inputs.haystack }}', values });
    expect(rendering).toMatchObject({ ok: true, text: 'false' });
    const found = renderTemplate({
      source: '{{ (inputs.needle ~ "c").find(inputs.needle[-300:] ~ "c") }}',
      values,
    });
    expect(found.ok && found.text).toContain('>1999701<');
  });

  test('a little of a large record can be printed', () => {
    const source =
      '{{ inputs.text | truncate(10) }}{{ inputs.text[:3] }}{{ inputs.list[:3] }}{{ inputs.list | length }}{{ inputs.text | length }}';
    const rendering = renderTemplate({ source, values });
    expect(rendering.ok && rendering.text.replaceAll(/<.*?>/g, '')).toBe(
      'xxxxxxx...xxx[0, 1, 2]15000005000000',
    );
  });

  test('a prompt of just the length that may be is rendered', () => {
    const source = 'x'.repeat(40);
    const limits = { promptCharactersMax: 40 };
    expect(renderTemplate({ source, values, limits })).toMatchObject({ ok: true });
    expect(renderTemplate({ source: `${source}x`, values, limits })).toMatchObject({
      ok: false,
      message: 'The prompt is longer than 40 characters.',
    });
  });

  test('marks count', () => {
    const rendering = renderTemplate({
      source: '{{ outputs.a }}',
      values,
      limits: { promptCharactersMax: 38 },
    });
    expect(rendering).toMatchObject({
      ok: false,
      message: 'The prompt is longer than 38 characters.',
    });
  });

  test('a record may be as deep as records are, and a deeper one is told', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const at = (levels: number) =>
      renderTemplate({
        source: '{{ inputs == inputs }}{{ inputs }}',
        values: { ...values, inputs: nested(levels) },
      });
    expect(at(512)).toMatchObject({ ok: true });
    expect(at(renderLimits.valueDepthMax + 2)).toMatchObject({ ok: false });
    const unprinted = renderTemplate({
      source: 'x',
      values: { ...values, inputs: nested(200_000) },
    });
    expect(unprinted).toMatchObject({
      ok: false,
      message: 'The template or the record is nested too deep to be rendered.',
    });
  });
});
