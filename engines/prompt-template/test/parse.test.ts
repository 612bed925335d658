import { volume } from '@assay/testing/volume';
import { parse } from '@huggingface/jinja';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scan } from '../lexer.ts';
import { isFaulty, parseTemplate } from '../parse.ts';

/** A tree as plain data, without places and without the texts of comments. */
function plain(node: unknown): unknown {
  if (node instanceof Map) return [...node].map(plain);
  if (Array.isArray(node)) return node.map(plain);
  if (typeof node !== 'object' || node === null) return node;
  const { type, ...members } = node as Record<string, unknown>;
  if (type === 'Comment') return { type };
  const kept = Object.entries(members).filter(
    ([name, value]) => !['at', 'end', 'depth'].includes(name) && value !== undefined,
  );
  return {
    type,
    ...Object.fromEntries(
      kept.map(([name, value]) => [
        name,
        name === 'operator' ? (value as { value: string }).value : plain(value),
      ]),
    ),
  };
}

const name = fc.constantFrom('a', 'b', 'inputs', 'x1', 'true', 'none');
const call = fc.constantFrom('()', '(a)', '(a, b=1)', '(*a)', '(**b)', '(a, *b, **inputs)');

/**
 * Expressions as they may be written. A dict stands in parentheses, since the lexer takes a sign
 * after `}` for that of a number, as the library's does.
 */
const { expression } = fc.letrec<{ expression: string; operand: string }>((tie) => {
  const joined = (...operators: string[]) =>
    fc
      .tuple(tie('operand'), fc.constantFrom(...operators), tie('operand'))
      .map(([left, operator, right]) => `${left} ${operator} ${right}`);
  const after = (...ends: string[]) =>
    fc.tuple(tie('operand'), fc.constantFrom(...ends)).map(([operand, end]) => `${operand}${end}`);
  return {
    operand: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      name,
      fc.constantFrom(
        '1',
        '2.5',
        "'t'",
        '"t" \'u\'',
        '-1',
        '[]',
        '({})',
        '[a, 1]',
        "({'k': a, b: 2})",
      ),
      tie('expression').map((inner) => `(${inner})`),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}, ${b})`),
      fc.tuple(name, call).map(([callee, args]) => `${callee}${args}`),
      fc.tuple(name, tie('expression')).map(([object, index]) => `${object}[${index}]`),
      fc
        .tuple(name, fc.constantFrom('[:]', '[1:]', '[:a]', '[1:2]', '[::2]'))
        .map(([a, b]) => a + b),
      fc.tuple(name, fc.constantFrom('.b', '.0', '.in', '.a.not')).map(([a, b]) => a + b),
    ),
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      tie('operand'),
      joined('and', 'or', 'in', 'not in', '==', '<', '+', '-', '~', '*', '/', '//', '%', '**'),
      joined('if a else', 'if', 'if not b else'),
      tie('operand').map((operand) => `not ${operand}`),
      tie('operand').map((operand) => `- ${operand}`),
      after(' is defined', ' is not none', ' is string is defined'),
      after(' | upper', " | default('x')", " | join(', ') | trim"),
    ),
  };
});

const template = fc.oneof(
  expression.map((source) => `{{ ${source} }}`),
  expression.map((source) => `{% if ${source} %}x{% elif a %}{# c #}{% else %}y{% endif %}`),
  expression.map((source) => `{% for a in ${source} %}{{ a }}{% else %}none{% endfor %}`),
  expression.map((source) => `{% for a, b in ${source} %}{% break %}{% endfor %}`),
  expression.map((source) => `{% set a = ${source} %}{% set b.c, d = 1, 2 %}`),
  expression.map((source) => `{% set a %}{{ ${source} }}{% endset %}`),
  expression.map((source) => `{% macro m(a, b=${source}) %}{{ a }}{% endmacro %}`),
  expression.map((source) => `{% call(a) m(${source}) %}{{ a }}{% endcall %}`),
  expression.map((source) => `{% filter replace('a', ${source}) %}a{% endfilter %}`),
);

test('a template has the tree that the library @huggingface/jinja gives it', () => {
  fc.assert(
    fc.property(template, (source) => {
      const { tokens } = scan(source);
      const expected = parse(tokens as never) as unknown as { body: unknown };
      expect(plain(parseTemplate(source))).toEqual(plain(expected.body));
    }),
    { numRuns: volume(1000) },
  );
});

describe('as in Jinja', () => {
  test.each([
    ['a comma after the last item', '{{ [a, 1,] }}{{ {1: a,} }}{{ f(a,) }}'],
    ['a tuple of one and of none', '{{ (a,) }}{{ () }}'],
    ['a parameter with a default of its own', '{% macro m(a, b=(1, 2),) %}{% endmacro %}'],
  ])('%s is taken', (_case, source) => {
    expect(isFaulty(parseTemplate(source))).toBe(false);
  });

  test('every name and operator knows its place', () => {
    expect(parseTemplate('{{ a.b not in c }}')).toEqual([
      {
        type: 'BinaryExpression',
        operator: { value: 'not in', at: 7 },
        left: {
          type: 'MemberExpression',
          object: { type: 'Identifier', value: 'a', at: 3 },
          property: { type: 'Identifier', value: 'b', at: 5 },
          computed: false,
        },
        right: { type: 'Identifier', value: 'c', at: 14 },
      },
    ]);
  });
});
