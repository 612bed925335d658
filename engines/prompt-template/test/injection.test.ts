import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderTemplate } from '../render.ts';

test('no text of a record gets out of its marks, whatever the template does with it', () => {
  const { expression, statement } = fc.letrec<{
    name: string;
    expression: string;
    statement: string;
  }>((tie) => ({
    name: fc.constantFrom(
      'inputs.a',
      'inputs',
      'inputs.l',
      'outputs.a.b',
      'all',
      'x',
      'y',
      'guidelines',
      '"w"',
      '1',
      'ns.f',
      'ns',
      'loop',
      'caller()',
      'varargs',
      'kwargs',
    ),
    expression: fc.oneof(
      { maxDepth: 2 },
      tie('name'),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom(
            'upper',
            'length',
            'list',
            'first',
            'join',
            'tojson',
            'reverse',
            'trim',
            'items',
            'sort',
            'string',
            'unique',
            'e',
          ),
        )
        .map(([a, b]) => `(${a}) | ${b}`),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('default', 'join', 'replace', 'map', 'center'),
          tie('expression'),
        )
        .map(([a, b, c]) => `(${a}) | ${b}(${c}, ${c})`),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('~', '+', 'or', 'and', '==', 'in', 'if'),
          tie('expression'),
        )
        .map(([a, b, c]) => `(${a}) ${b} (${c})`),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom(
            '.a',
            '[0]',
            '[-1]',
            '[:2]',
            '.items()',
            '.upper()',
            '.split("w")',
            '.nextitem',
            '.f',
            '.get("a")',
            ' is string',
          ),
        )
        .map(([a, b]) => `(${a})${b}`),
      fc
        .tuple(
          fc.constantFrom('f', 'g', 'namespace', 'loop.cycle', '"w".join'),
          fc.constantFrom('', '*', 'x=', '**'),
          tie('expression'),
        )
        .map(([a, b, c]) => `${a}(${b}${c})`),
      tie('expression').map((a) => `[${a}]`),
      tie('expression').map((a) => `{"a": ${a}}`),
      fc
        .tuple(tie('expression'), tie('expression'), tie('expression'))
        .map(([a, b, c]) => `(${a}) if (${b}) else (${c})`),
    ),
    statement: fc.oneof(
      { maxDepth: 2 },
      tie('expression').map((a) => `{{ ${a} }}`),
      fc
        .tuple(fc.constantFrom('x', 'y', 'ns.f', 'x, y'), tie('expression'))
        .map(([a, b]) => `{% set ${a} = ${b} %}`),
      fc
        .tuple(fc.constantFrom('x', 'y', 'ns.f'), tie('statement'))
        .map(([a, b]) => `{% set ${a} %}${b}{% endset %}`),
      fc
        .tuple(fc.constantFrom('x', 'x, y'), tie('expression'), tie('statement'))
        .map(([a, b, c]) => `{% for ${a} in ${b} %}${c}{% endfor %}`),
      fc.tuple(tie('expression'), tie('statement')).map(([a, b]) => `{% if ${a} %}${b}{% endif %}`),
      fc
        .tuple(fc.constantFrom('f', 'g'), tie('statement'))
        .map(([a, b]) => `{% macro ${a}(x, y) %}${b}{% endmacro %}`),
      fc
        .tuple(fc.constantFrom('f', 'g'), tie('expression'), tie('statement'))
        .map(([a, b, c]) => `{% call(x) ${a}(${b}) %}${c}{% endcall %}`),
      fc
        .tuple(fc.constantFrom('upper', 'replace("w", inputs.a)', 'trim', 'list'), tie('statement'))
        .map(([a, b]) => `{% filter ${a} %}${b}{% endfilter %}`),
      fc.tuple(tie('statement'), tie('statement')).map(([a, b]) => a + b),
    ),
  }));
  const start =
    '{% set ns = namespace(f="w") %}{% macro f(a) %}({{ a }}{{ varargs }}){% endmacro %}{% macro g(a) %}{{ f(a) }}{{ caller and caller(a) }}{% endmacro %}';
  const values = {
    inputs: { a: '§§', l: ['§', { a: '§' }], '§': 1 },
    expected: {},
    outputs: { a: { b: '§w§' } },
    guidelines: 'w',
  };
  let rendered = 0;
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          statement,
          expression.map((a) => `{{ ${a} }}`),
        ),
        { minLength: 1, maxLength: 2 },
      ),
      (parts) => {
        const rendering = renderTemplate({ source: start + parts.join(''), values });
        if (!rendering.ok) return;
        if (rendering.text.includes('§')) rendered++;
        const mark = rendering.delimiter;
        expect(
          rendering.text.replaceAll(new RegExp(`<${mark}>.*?</${mark}>`, 'gs'), ''),
        ).not.toContain('§');
      },
    ),
    { numRuns: volume(2000) },
  );

  expect(rendered).toBeGreaterThan(volume(100));
});
