import { parseJson } from '@assay/json/parse';
import { expect, test } from 'vitest';
import { renderTemplate } from '../render.ts';

/** The rendered text, without the marks around data. */
function render(source: string, outputs: string): string {
  const values = { guidelines: '', inputs: {}, expected: {}, outputs: parseJson(outputs) };
  const rendered = renderTemplate({ source, values });
  if (!rendered.ok) return rendered.message;
  return rendered.text.replaceAll(/<\/?[^>]*>/g, '').trim();
}

const big =
  '{"v":9007199254740993,"near":9007199254740992,"price":1.50,"far":1e400,"one":1.0,"tiny":1e-400,"none":0.0}';

test.each([
  ['{{ outputs.v }}', '9007199254740993'],
  ['{{ outputs.price }}', '1.50'],
  ['{{ outputs.far }}', '1e400'],
  ['{{ outputs.v | tojson }}', '9007199254740993'],
  ['{{ [outputs.v] | tojson }}', '[9007199254740993]'],
  ['{{ "id " ~ outputs.v }}', 'id 9007199254740993'],
  ['{{ [outputs.v, outputs.near] | sort | join(" ") }}', '9007199254740992 9007199254740993'],
  [
    '{{ [outputs.v, outputs.near, outputs.v] | unique | join(" ") }}',
    '9007199254740993 9007199254740992',
  ],
  ['{{ [outputs.near, outputs.far, outputs.v] | max }}', '1e400'],
  ['{{ -outputs.v }}', '-9007199254740993'],
  ['{{ -(-outputs.v) }}', '9007199254740993'],
  [
    '{{ outputs.v | int }} {{ outputs.v | round }} {{ (-outputs.v) | abs }}',
    '9007199254740993 9007199254740993 9007199254740993',
  ],
])('%s shows each digit that was sent', (source, text) => {
  expect(render(source, big)).toBe(text);
});

test.each([
  ['outputs.v == outputs.near', false],
  ['outputs.v > outputs.near', true],
  ['outputs.v is odd', true],
  ['outputs.near is even', true],
  ['outputs.price == 1.5', true],
  ['outputs.one == 1', true],
  ['outputs.one == true', true],
  ['outputs.far > 1', true],
  ['outputs.far is number', true],
  ['outputs.v is integer', true],
  ['outputs.price is float', true],
  ['outputs.v is mapping', false],
  ['outputs.v is iterable', false],
  ['outputs.tiny', true],
  ['outputs.none', false],
  ['[10, 20][outputs.one] == 20', true],
  ['outputs.price * 2 == 3', true],
  ['[outputs.price, outputs.one] | sum == 2.5', true],
])('%s is %s, by value', (condition, holds) => {
  expect(render(`{{ 'yes' if ${condition} else 'no' }}`, big)).toBe(holds ? 'yes' : 'no');
});

test('what has no finite number is told', () => {
  expect(render('{{ outputs.far + 1 }}', big)).toBe('`+` gives no finite number here.');
  expect(render('{{ outputs.v.x }}', big)).toBe('');
});
