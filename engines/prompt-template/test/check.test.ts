import { volume } from '@assay/testing/volume';
import { tokenize } from '@huggingface/jinja';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTemplate } from '../check.ts';
import { scan } from '../lexer.ts';
import { templateLimits } from '../limits.ts';
import { renderTemplate } from '../render.ts';

const sound = [
  'Plain text, { with } a # brace and 100 % of {a percent}',
  '{{ outputs.response }} {{ guidelines }} {{inputs.question}}',
  'Question: {{ inputs["the question"] | trim | default("none", true) }}\n',
  '{% for message in inputs.messages %}{{ loop.index }}. {{ message.role }}: {{ message.content }}\n{% else %}none{% endfor %}',
  '{% if inputs.a == 1 and not all.b or guidelines in [1, 2] %}x{% elif d is defined %}y{% elif expected is not none %}z{% else %}w{% endif %}',
  "{%- set ns = {'a': {'b': [1, 2.5, -3]}} -%}  {{- ns.a.b[0:2] -}}  ",
  '{% set block %}text {{ inputs.x }}{% endset %}{{ block | upper }}',
  '{% macro field(name, value="") %}{{ name }}={{ value }}{% endmacro %}{{ field("a", value=1) }}',
  '{% macro list(users) %}{{ caller(users) }}{% endmacro %}{% call(user) list(inputs) %}{{ user }}{% endcall %}{% filter upper %}x{% endfilter %}',
  '{% for a, b in inputs.items() if a != "x" %}{% if loop.first %}{% continue %}{% endif %}{% break %}{% endfor %}',
  '{# a comment with {{ and {% in it #}{#- trimmed -#} after',
  `{{ 'a\\'b\\n\\x41\\u00e9' ~ "c\\"d" }} {{ inputs.0.1 }} {{ 2 ** -3 // 4 % 5 }} {{ 1 if true else None }} {{ -inputs.n - -1 + +2 }}`,
  '{{ {"a": {"b": {}}} }}{{ [[], [(1)|length]] }}',
  '{{ range(*inputs.a, **all)(1).d[guidelines] }} {{ not not all }} {{ all not in all.if.not }}',
  'Grüße 👋 {{ "é" }}\r\n{{ all }}',
  '',
];

describe('a template that Jinja takes', () => {
  test.each(sound)('has no problem: %j', (source) => {
    expect(checkTemplate(source)).toEqual([]);
  });

  test.each(sound)('is read into the tokens that the library makes of it: %j', (source) => {
    expect(bare(scan(source).tokens)).toEqual(bare(tokenize(source)));
  });

  test('is read as the library reads it whatever its parts', () => {
    const parts = [
      '{{ ',
      ' }}',
      '{%- if all ',
      ' -%}',
      '{% endif %}',
      ' all',
      ' 1.5',
      '.',
      ' "s\\n"',
      " 'it'",
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '{#- c #}',
    ];
    const more = [
      ' text ',
      '\n',
      ' - ',
      '+',
      '**',
      '//',
      '%',
      '==',
      '=',
      ',',
      ':',
      '|',
      ' not ',
      '-}}',
      'é',
      '\\',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, ...more), { maxLength: 12 }), (chosen) => {
        const source = chosen.join('');
        if (checkTemplate(source).length === 0)
          expect(bare(scan(source).tokens)).toEqual(bare(tokenize(source)));
      }),
      { numRuns: volume(3000) },
    );
  });
});

describe('a mistake is told with its place', () => {
  test.each([
    ['{{ outputs.response', 1, 1, 'has `{{` without its `}}`'],
    [
      'Question:\n  {{ inputs.question \nAnswer: {{ outputs.response }}',
      2,
      3,
      'has `{{` without its `}}`',
    ],
    ["{{ a\nIs it good? It is, isn't it: {% if b %}{% endif %}", 1, 1, 'has `{{` without its `}}`'],
    ['{{ a\nGood? }}', 2, 5, 'has `?`, which means nothing inside a tag'],
    ['a\nb {{ c {{ d }}', 2, 3, 'has `{{` without its `}}`'],
    ['{{ a } }}', 1, 6, 'has `}` that closes nothing'],
    ['{% if a', 1, 1, 'has `{%` without its `%}`'],
    ['{% if {{ a }} %}x{% endif %}', 1, 1, 'has `{%` without its `%}`'],
    ['x\n{% if a %}\n{{ b }}', 2, 1, 'has `{% if %}` without its `{% endif %}`'],
    [
      '{% for a in b %}\n  {% if a %}\n{% endfor %}',
      2,
      3,
      'has `{% if %}` without its `{% endif %}`',
    ],
    ['{% for a in b %}{% if a %}{% endif %}', 1, 1, 'has `{% for %}` without its `{% endfor %}`'],
    ['{% set a %}b', 1, 1, 'has `{% set %}` without its `{% endset %}`'],
    ['{{ if }}', 1, 4, 'does not expect `if` here'],
    ['{% if true %}{% else if true %}{% endif %}', 1, 22, 'does not expect `if` here'],
    ['{{ all[in] }}', 1, 8, 'does not expect `in` here'],
    ['a {% endif %}', 1, 6, 'has `{% endif %}` without its `{% if %}`'],
    ['{% if a %}{% endfor %}', 1, 14, 'has `{% endfor %}` without its `{% for %}`'],
    ['{% else %}', 1, 4, 'has `else` outside an `if` or `for`'],
    ['{% for a in b %}{% elif c %}{% endfor %}', 1, 20, 'has `elif` outside an `if`'],
    [
      '{% if a %}{% else %}{% elif b %}{% endif %}',
      1,
      24,
      'has `elif` after the `else` of its `if`',
    ],
    [
      '\n {% include "x" %}',
      2,
      5,
      'has the unknown tag `include`; there are if, for, macro, call, filter, set, break, continue',
    ],
    [
      '{% toString %}',
      1,
      4,
      'has the unknown tag `toString`; there are if, for, macro, call, filter, set, break, continue',
    ],
    [
      '{% generation %}',
      1,
      4,
      'has the unknown tag `generation`; there are if, for, macro, call, filter, set, break, continue',
    ],
    [
      '{% %}',
      1,
      4,
      'needs the name of a tag here: if, for, macro, call, filter, set, break, continue',
    ],
    ['{% break %}', 1, 4, 'has `break` outside a loop'],
    ['{{ }}', 1, 4, 'does not expect `}}` here'],
    ['{{ a b }}', 1, 6, 'does not expect `b` here'],
    ['a\nb\n  {{ a + }}', 3, 10, 'does not expect `}}` here'],
    ['{{ a | }}', 1, 8, 'does not expect `}}` here: expected the name of a filter'],
    ['{{ a | 1 }}', 1, 8, 'does not expect `1` here: expected the name of a filter'],
    ['{{ a. }}', 1, 7, 'does not expect `}}` here: expected the name of a field'],
    ['{{ [a b] }}', 1, 7, 'does not expect `b` here'],
    ['{{ range(1 2) }}', 1, 12, 'does not expect `2` here'],
    ['{{ a[] }}', 1, 6, 'does not expect `]` here'],
    ['{{ a + not b }}', 1, 8, 'does not expect `not` here'],
    [
      '{% macro m(a, a) %}{% endmacro %}',
      1,
      15,
      'does not expect `a` here: there is a parameter of this name already',
    ],
    ['{{ a == == b }}', 1, 9, 'does not expect `==` here'],
    [
      '{% for a of b %}{% endfor %}',
      1,
      10,
      'does not expect `of` here: expected `in` after the variable of the loop',
    ],
    ['{% if %}x{% endif %}', 1, 7, 'does not expect `%}` here'],
    ['{% if a %}x{% endif now %}', 1, 21, 'does not expect `now` here'],
    ['{% if a = 1 %}{% endif %}', 1, 9, 'does not expect `=` here'],
    ['{{ f(a, b }}', 1, 5, 'has `(` without its `)`'],
    ['{{ [1, 2) }}', 1, 9, 'has `)` where `]` is expected'],
    ['{{ a %}', 1, 6, 'has `%}` where `}}` closes the tag'],
    ["{{ 'abc }}", 1, 4, 'has a text without its closing quote'],
    ["{{ 'a\\d' }}", 1, 6, 'has `\\d`, which is not a Jinja escape'],
    ['{{ inputs.gr→ße }}', 1, 13, 'has `→`, which means nothing inside a tag'],
    ['{{ a ? b }}', 1, 6, 'has `?`, which means nothing inside a tag'],
    ['👋👋 {{ 👋 }}', 1, 7, 'has `👋`, which means nothing inside a tag'],
    ['a\r\nb\rc {# d', 3, 3, 'has a comment `{#` without its `#}`'],
    ['{{ a {# b #} }}', 1, 6, 'has a comment inside a tag'],
  ])('%j', (source, line, column, message) => {
    expect(checkTemplate(source)).toEqual([{ line, column, message }]);
  });

  test('beside all others of the template, whatever tag they are in', () => {
    const source = [
      '{{ inputs.a + }} {{ inputs.b | }} {{ unknown }}',
      '{% if inputs.c == %}x{% elif (inputs.d %}y{% endif %}',
      '{% include "z" %}{{ a ? b }} {{ f(1 }}',
      '{% for e of inputs %}{% endfor later %}{{ [1, 2) }}',
    ].join('\n');
    expect(checkTemplate(source)).toEqual([
      { line: 1, column: 15, message: 'does not expect `}}` here' },
      {
        line: 1,
        column: 32,
        message: 'does not expect `}}` here: expected the name of a filter',
      },
      { line: 2, column: 19, message: 'does not expect `%}` here' },
      { line: 2, column: 30, message: 'has `(` without its `)`' },
      {
        line: 3,
        column: 4,
        message:
          'has the unknown tag `include`; there are if, for, macro, call, filter, set, break, continue',
      },
      { line: 3, column: 23, message: 'has `?`, which means nothing inside a tag' },
      { line: 3, column: 34, message: 'has `(` without its `)`' },
      {
        line: 4,
        column: 10,
        message: 'does not expect `of` here: expected `in` after the variable of the loop',
      },
      { line: 4, column: 32, message: 'does not expect `later` here' },
      { line: 4, column: 48, message: 'has `)` where `]` is expected' },
    ]);
  });

  test('beside all blocks that lack an end', () => {
    const source =
      '{% for a in b %}{% if a %}{% set c %}{% endfor %}{% break %}{% macro d() %}{{ e f }}';
    expect(checkTemplate(source)).toEqual([
      { line: 1, column: 17, message: 'has `{% if %}` without its `{% endif %}`' },
      { line: 1, column: 27, message: 'has `{% set %}` without its `{% endset %}`' },
      { line: 1, column: 53, message: 'has `break` outside a loop' },
      { line: 1, column: 61, message: 'has `{% macro %}` without its `{% endmacro %}`' },
      { line: 1, column: 81, message: 'does not expect `f` here' },
    ]);
  });

  test('and only whatever is really in the template', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}%#-\\\'"()[]|.,:=+ab1 \n\r?'), maxLength: 60 }),
        (source) => {
          const lines = source.split(/\r\n|\r|\n/);
          for (const { line, column, message } of checkTemplate(source)) {
            expect(message).not.toBe('');
            expect(column).toBeGreaterThanOrEqual(1);
            expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
          }
        },
      ),
      { numRuns: volume(3000) },
    );
  });
});

describe('a hostile template', () => {
  const fill = (unit: string, before = '', after = '') => {
    const count = Math.floor(
      (templateLimits.charactersMax - before.length - after.length) / unit.length,
    );
    return before + unit.repeat(count) + after;
  };

  const deepest = fill(
    'x',
    `${'{% if all %}{{ inputs }}'.repeat(100)}{{ ${'('.repeat(50)}${'not '.repeat(850)}all${')'.repeat(50)} }}`,
    '{% endif %}'.repeat(100),
  );

  // Each of these takes another tokenizer or parser minutes, or its whole stack.
  test.each([
    ['parentheses', fill('(', '{{ ', ' }}'), 'is nested deeper than 50 brackets here'],
    ['negations', fill('not ', '{{ ', 'a }}'), 'has a tag of more than 1000 parts'],
    ['signs', fill('- ', '{{ ', 'a }}'), 'has a tag of more than 1000 parts'],
    ['choices', fill('a if a else ', '{{ ', 'a }}'), 'has a tag of more than 1000 parts'],
    ['calls', fill('()', '{{ a', ' }}'), 'has a tag of more than 1000 parts'],
    ['members', fill('.a', '{{ a', ' }}'), 'has a tag of more than 1000 parts'],
    ['sums', fill('+a', '{{ a', ' }}'), 'has a tag of more than 1000 parts'],
    ['expressions', fill('{{ a }}'), 'has more than 20000 parts before this'],
    ['comments', fill('{##}'), 'has more than 20000 parts before this'],
    ['blocks', '{% if a %}'.repeat(101), 'is nested deeper than 100 blocks here'],
    [
      'branches',
      `{% if a %}${'{% elif a %}'.repeat(100)}{% endif %}`,
      'is nested deeper than 100 blocks here',
    ],
    ['tags that are not closed', fill('{{ '), 'has `{{` without its `}}`'],
    ['texts', fill("'a' ", '{{ ', ' }}'), 'has a tag of more than 1000 parts'],
    ['backslashes', fill('\\', "{{ '", ' }}'), 'has a text without its closing quote'],
    ['comments that are not closed', fill('{#'), 'has a comment `{#` without its `#}`'],
  ])('of %s is refused', (_name, source, message) => {
    const problems = checkTemplate(source);
    expect(problems.length).toBeLessThanOrEqual(templateLimits.problemsMax);
    expect(new Set(problems.map((problem) => problem.message))).toEqual(new Set([message]));
  });

  test.each([
    ['spaces', fill(' ')],
    ['spaces in a tag', fill(' ', '{{ all', '}}')],
    ['spaces before tags', fill(`${' '.repeat(1000)}{{- all }}`)],
    ['expressions', '{{ all }}'.repeat(6000)],
    ['statements', '{% set a=1 %}'.repeat(3000)],
    ['newlines', fill('\n')],
    ['braces', fill('{ }')],
    ['a text', fill('x', "{{ '", "' }}")],
    ['everything that is allowed at once', deepest],
  ])('of many %s is read', (_name, source) => {
    expect(checkTemplate(source)).toEqual([]);
  });

  test('that is as deep as may be is rendered too', () => {
    const values = { inputs: 1, expected: {}, outputs: {}, guidelines: '' };
    expect(renderTemplate({ source: deepest, values })).toMatchObject({ ok: true });
  });

  test('of more characters than may be is refused unread', () => {
    expect(checkTemplate(fill('x', 'x{{'))).toHaveLength(1);
    expect(checkTemplate(`${fill('x')}x`)).toEqual([
      { line: 1, column: 1, message: 'must have at most 200000 characters' },
    ]);
  });
});

const bare = (tokens: unknown) =>
  (tokens as { type: string; value: string }[]).map(({ type, value }) => ({ type, value }));
