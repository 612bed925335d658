import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTemplate } from '../check.ts';
import { filters } from '../render/catalogue.ts';
import { tests } from '../render/tests.ts';
import { renderTemplate } from '../render.ts';

const variables = 'inputs, expected, outputs, guidelines, all';
const filterNames = Object.keys(filters).join(', ');

describe('what means nothing is told with its place', () => {
  test.each([
    [
      '{{ input.x }}',
      1,
      4,
      `names the unknown variable \`input\`; did you mean \`inputs\`? There are ${variables}`,
    ],
    [
      'a\n  {{ question }}',
      2,
      6,
      `names the unknown variable \`question\`; there are ${variables}`,
    ],
    [
      '{% if response %}x{% endif %}',
      1,
      7,
      `names the unknown variable \`response\`; there are ${variables}`,
    ],
    [
      '{{ m }}{% for m in inputs.ms %}{% endfor %}',
      1,
      4,
      `names the unknown variable \`m\`; there are ${variables}`,
    ],
    [
      '{% for m in inputs.ms %}{% endfor %}{{ m }}',
      1,
      40,
      `names the unknown variable \`m\`; there are ${variables}`,
    ],
    ['{{ loop.index }}', 1, 4, `names the unknown variable \`loop\`; there are ${variables}`],
    [
      '{% for a in loop.x %}{% endfor %}',
      1,
      13,
      `names the unknown variable \`loop\`; there are ${variables}`,
    ],
    ['{{ total }}{% set total = 1 %}', 1, 4, 'uses `total` before it is set'],
    [
      '{% set total = 1 %}{{ totl }}',
      1,
      23,
      `names the unknown variable \`totl\`; did you mean \`total\`? There are ${variables}`,
    ],
    [
      '{% for a in [1] %}{% set b = a %}{% endfor %}{{ b }}',
      1,
      49,
      `names the unknown variable \`b\`; there are ${variables}`,
    ],
    [
      '{% macro f(a) %}{{ b }}{% endmacro %}{{ f(1) }}',
      1,
      20,
      `names the unknown variable \`b\`; there are ${variables}`,
    ],
    ['{{ f(1) }}{% macro f(a) %}{% endmacro %}', 1, 4, 'uses `f` before it is set'],
    ['{{ caller() }}', 1, 4, `names the unknown variable \`caller\`; there are ${variables}`],
    ['{{ inputs[key] }}', 1, 11, `names the unknown variable \`key\`; there are ${variables}`],
    [
      '{{ strftime_now("%Y") }}',
      1,
      4,
      `names the unknown variable \`strftime_now\`; there are ${variables}`,
    ],
    [
      '{{ constructor }}',
      1,
      4,
      `names the unknown variable \`constructor\`; there are ${variables}`,
    ],
    [
      '{{ input.x | default("none") }}',
      1,
      4,
      `names the unknown variable \`input\`; did you mean \`inputs\`? There are ${variables}`,
    ],
    ['{{ inputs | fooo }}', 1, 13, `has the unknown filter \`fooo\`; there are ${filterNames}`],
    [
      '{{ inputs | toString }}',
      1,
      13,
      `has the unknown filter \`toString\`; did you mean \`string\`? There are ${filterNames}`,
    ],
    [
      '{{ inputs | uper }}',
      1,
      13,
      `has the unknown filter \`uper\`; did you mean \`upper\`? There are ${filterNames}`,
    ],
    [
      '{% filter shout(1) %}x{% endfilter %}',
      1,
      11,
      `has the unknown filter \`shout\`; there are ${filterNames}`,
    ],
    [
      '{{ inputs.a | map("shout") }}',
      1,
      15,
      `has the unknown filter \`shout\`; there are ${filterNames}`,
    ],
    [
      '{{ all is foo }}',
      1,
      11,
      `has the unknown test \`foo\`; there are ${Object.keys(tests).join(', ')}`,
    ],
    ['{{ inputs() }}', 1, 4, 'calls `inputs`, which is no macro'],
    ['{% set inputs[0] = 1 %}', 1, 8, 'sets something here that is no name'],
  ])('%j', (source, line, column, message) => {
    expect(checkTemplate(source)).toEqual([{ line, column, message }]);
  });

  test('a method that neither texts nor objects have', () => {
    const [problem] = checkTemplate('{{ inputs.text.trim() }}');
    expect(problem).toMatchObject({
      line: 1,
      column: 16,
      message: expect.stringMatching(/^has the unknown method `trim`; there are get, items, /),
    });
  });

  test('all of them, in their order, also where a macro is read last', () => {
    const source = '{% macro f() %}{{ one }}{% endmacro %}\n{{ two | three }}{{ four }}';
    expect(checkTemplate(source).map(({ line, message }) => [line, message.split('`')[1]])).toEqual(
      [
        [1, 'one'],
        [2, 'two'],
        [2, 'three'],
        [2, 'four'],
      ],
    );
  });

  test('up to twenty of thousands', () => {
    const problems = checkTemplate(`${'{{ abc }}'.repeat(5000)}`);
    expect(problems).toHaveLength(20);
    expect(problems.at(-1)).toMatchObject({ line: 1, column: 4 + 19 * 9 });
  });

  test('with no more of a long name than can be read', () => {
    expect(checkTemplate(`{{ ${'x'.repeat(50_000)} }}`)[0]!.message.length).toBeLessThan(200);
  });
});

describe('a name that means something passes', () => {
  test.each([
    '{{ x is defined }}{{ y is not defined }}{{ z is undefined }}',
    '{{ x | default("none") }}{{ y | d("none") }}',
    '{% if context is defined %}{{ context }}{% endif %}{{ user if user is defined else "nobody" }}',
    '{{ true }}{{ True }}{{ none }}{{ None }}{{ false }}{{ False }}{{ range(3) }}',
    '{% if inputs.a %}{% set b = 1 %}{% endif %}{{ b }}',
    '{% set total = 1 %}{% for a in [1] %}{{ total + a }}{{ loop.index }}{% endfor %}',
    '{% for a, b in inputs.items() if a %}{{ a }}{{ b }}{% endfor %}',
    '{% set ns = namespace(n=0) %}{% set ns.n = ns.n + 1 %}{{ ns.n }}',
    '{% set a, b = 1, 2 %}{{ a + b }}',
    '{% macro f(a, b=a) %}{{ a }}{{ b }}{{ late }}{{ f }}{{ caller }}{{ varargs }}{{ kwargs }}{% endmacro %}{% set late = 1 %}{{ f(1) }}',
    '{% macro f() %}{{ caller(1) }}{% endmacro %}{% call(n) f() %}{{ n }}{% endcall %}',
    '{% set block %}{% set inner = 1 %}{{ inner }}{% endset %}{{ block }}',
    '{{ inputs.constructor.__proto__ }}{{ inputs.if }}{{ {"a": 1}.anything() }}',
    '{{ inputs.list | map(attribute="a") | select("odd") | rejectattr("b", "gt", 2) | map("upper") | list }}',
  ])('%j', (source) => {
    expect(checkTemplate(source)).toEqual([]);
  });
});

test('a filter or test that passes is there when the template is rendered', () => {
  const parts = [
    '{{ all',
    '{{ inputs.a',
    '{{ 1',
    '{{ "b"',
    ' | ',
    ' is ',
    ' is not ',
    '.x',
    '[0]',
    '()',
    ' ~ ',
    ' }}',
    '{% for i in all %}',
    '{{ i',
    '{% endfor %}',
  ];
  const names = [...Object.keys(filters), ...Object.keys(tests), 'nope'];
  const values = { inputs: { a: ['x', 2] }, expected: {}, outputs: {}, guidelines: '' };
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts, ...parts, ...names), { maxLength: 9 }),
      (chosen) => {
        const source = chosen.join('');
        if (checkTemplate(source).length > 0) return;
        const rendering = renderTemplate({ source, values });
        if (!rendering.ok)
          expect(rendering.message).not.toMatch(
            /^(There is no (filter|test)|The template (names|has) )/,
          );
      },
    ),
    { numRuns: volume(5000) },
  );
});

describe('a template about a pair', () => {
  test('knows what the judge is shown of two runs, and not the outputs of one', () => {
    expect(checkTemplate('{{ first.outputs.a }}{{ second }}{{ inputs }}', 'pair')).toEqual([]);
    expect(checkTemplate('{{ secnd }}', 'pair')[0]!.message).toBe(
      'names the unknown variable `secnd`; did you mean `second`? There are inputs, expected, first, second, guidelines, all',
    );
    expect(checkTemplate('{{ first.outputs }}')[0]!.message).toContain('unknown variable `first`');
  });
});
