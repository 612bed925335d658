import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTemplate } from '../check.ts';
import { delimit } from '../delimit.ts';
import { renderTemplate } from '../render.ts';

const values = {
  inputs: {
    question: 'Why?',
    tags: ['a', 'b'],
    items: [1, 2, 3],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'bot', content: 'yo' },
    ],
    nothing: null,
    flag: true,
    half: 0.5,
    emoji: 'a👋b',
  },
  expected: { idealAnswer: 'Because.' },
  outputs: { response: 'No idea.' },
  guidelines: 'Be fair.',
};

const outcome = (source: string, given: Partial<typeof values> | Record<string, unknown> = {}) =>
  renderTemplate({ source, values: { ...values, ...given } as typeof values });

/** The text with its marks written short: « and ». */
function render(source: string, given: Record<string, unknown> = {}): string {
  expect(checkTemplate(source)).toEqual([]);
  const rendering = outcome(source, given);
  if (!rendering.ok) throw new Error(rendering.message);
  return rendering.text
    .replaceAll(`</${rendering.delimiter}>`, '»')
    .replaceAll(`<${rendering.delimiter}>`, '«');
}

describe('what people write', () => {
  test.each([
    ['{{outputs.response}}', '«No idea.»'],
    ['{{ guidelines }}', 'Be fair.'],
    ['{{inputs.question}}', '«Why?»'],
    ['{{ inputs["question"] }}', '«Why?»'],
    ['{{all.expected}}', '«{"idealAnswer": "Because."}»'],
    [
      '{% for m in inputs.messages %}{{ loop.index }}. {{ m.role }}: {{ m.content | upper }}\n{% endfor %}',
      '1. «user»: «HI»\n2. «bot»: «YO»\n',
    ],
    [
      '{% if expected.idealAnswer %}{{ expected.idealAnswer }}{% else %}none{% endif %}',
      '«Because.»',
    ],
    ['{% if expected.other %}x{% elif inputs.flag %}y{% else %}z{% endif %}', 'y'],
    ['{{ inputs.tags | tojson }}', '«["a", "b"]»'],
    ['{{ inputs.tags | join(", ") }}', '«a, b»'],
    ['{{ x | default("none") }}', 'none'],
    ['{{ inputs.x | default("none") }}', '«none»'],
    ['{{ inputs.items | length }}', '3'],
    ['a  {{- " b " -}}  c {#- gone -#} {%- if true -%} d {%- endif %} e', 'a b cd e'],
    ['{# {{ inputs }} #}', ''],
    ['{% set q = inputs.question %}{% set n = 1 %}{{ q }}{{ n }}', '«Why?»1'],
    [
      '{% macro field(name, value="?") %}# {{ name }}: {{ value }}{% endmacro %}{{ field("A", inputs.question) }} {{ field("B") }}',
      '# A: «Why?» # B: ?',
    ],
    [
      '{{ inputs.emoji | length }} {{ inputs.emoji[1] }} {{ inputs.emoji[-2:] }} {{ inputs.emoji[:2] }}',
      '3 «👋» «👋b» «a👋»',
    ],
  ])('%j', (source, text) => {
    expect(render(source)).toBe(text);
  });
});

describe('how values are printed', () => {
  test.each([
    ['nothing', '{{ guidelines.missing }}{{ none_ | default("") }}', ''],
    ['a field of what is missing', '{{ inputs.a.b[0].c }}', '«»'],
    ['null', '{{ none }} {{ inputs.nothing }}', 'null «null»'],
    ['booleans', '{{ true }} {{ inputs.flag }}', 'true «true»'],
    [
      'numbers',
      '{{ 1.50 }} {{ 3 / 2 }} {{ 6 / 2 }} {{ inputs.half }} {{ -0 }}',
      '1.5 1.5 3 «0.5» 0',
    ],
    ['lists and objects', '{{ [1, "a", none, {"b": true}] }}', '[1, "a", null, {"b": true}]'],
  ])('%s', (_name, source, text) => {
    expect(render(source)).toBe(text);
  });
});

// Each is from the Jinja documentation's template designer page, or from Python where that refers
// to it.
describe('as Jinja2 says', () => {
  test.each([
    ['{{ "Hello " ~ guidelines ~ "!" }}', 'Hello Be fair.!'],
    [
      '{{ 20 // 7 }} {{ 11 % 7 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 3 }} {{ "=" * 5 }}',
      '2 4 -4 2 8 =====',
    ],
    [
      '{{ 1 in [1, 2, 3] }} {{ 4 not in [1] }} {{ "a" in "cat" }} {{ "k" in {"k": 1} }}',
      'true true true true',
    ],
    [
      '{{ 42.55 | round }} {{ 42.55 | round(1, "floor") }} {{ "3.7" | int }} {{ "x" | int(7) }} {{ -3 | abs }}',
      '43 42.5 3 7 3',
    ],
    [
      '{{ [1, 2, 3] | join("|") }} {{ [1, 2, 3] | join }} {{ [{"n": 1}, {"n": 2}] | join(", ", attribute="n") }}',
      '1|2|3 123 1, 2',
    ],
    [
      '{{ "Hello World" | replace("Hello", "Goodbye") }} {{ "aaaaargh" | replace("a", "d\'oh, ", 2) }}',
      "Goodbye World d'oh, d'oh, aaargh",
    ],
    [
      '{{ "foo bar baz qux" | truncate(9) }} {{ "foo bar baz qux" | truncate(9, true) }}',
      'foo... foo ba...',
    ],
    [
      '{{ "foo bar baz qux" | truncate(11) }} {{ "foo bar baz qux" | truncate(11, false, "...", 0) }}',
      'foo bar baz qux foo bar...',
    ],
    ['{{ ["foo", "bar", "foobar", "FooBar"] | unique | list }}', '["foo", "bar", "foobar"]'],
    [
      '{{ [3, 1, 2] | sort }} {{ ["b", "A", "c"] | sort(reverse=true) }} {{ {"b": 1, "a": 2} | dictsort }}',
      '[1, 2, 3] ["c", "b", "A"] [["a", 2], ["b", 1]]',
    ],
    [
      '{{ [1, 2, 3] | sum }} {{ [1, 5] | max }} {{ [1, 5] | min }} {{ [1, 2] | first }} {{ [1, 2] | last }} {{ [1, 2] | reverse }}',
      '6 5 1 1 2 [2, 1]',
    ],
    [
      '{{ [1, 2, 3] | select("odd") | list }} {{ [{"a": 1}, {"a": 2}] | selectattr("a", "gt", 1) | list }} {{ ["a"] | map("upper") | first }}',
      '[1, 3] [{"a": 2}] A',
    ],
    [
      '{{ "my title-case text" | title }} {{ "hELLO" | capitalize }} [{{ "x" | center(5) }}] {{ " x " | trim }}',
      'My Title-Case Text Hello [  x  ] x',
    ],
    ['{{ "a\nb\n\nc" | indent(2) }}', 'a\n  b\n\n  c'],
    ['{{ "<a>" | e }} {{ "<a>" | safe }}', '&lt;a&gt; <a>'],
    [
      '{{ "a,b,c".split(",") }} {{ " a  b ".split() }} {{ "a,b,c".split(",", 1) }} {{ "xay".strip("xy") }}',
      '["a", "b", "c"] ["a", "b"] ["a", "b,c"] a',
    ],
    [
      '{{ {"a": 1}.get("b", 2) }} {{ {"a": 1}.items() }} {{ "abc".startswith("ab") }} {{ "-".join(["a", "b"]) }}',
      '2 [["a", 1]] true a-b',
    ],
    [
      '{{ [1, 2, 3, 4][::2] }} {{ [1, 2, 3][::-1] }} {{ [1, 2, 3][1:] }} {{ [1, 2, 3][-1] }}',
      '[1, 3] [3, 2, 1] [2, 3] 3',
    ],
    [
      '{% for i in range(3) %}{{ loop.cycle("odd", "even") }}{{ loop.revindex }}{{ loop.last }} {% else %}x{% endfor %}',
      'odd3false even2false odd1true ',
    ],
    ['{% for i in [] %}x{% else %}none{% endfor %}', 'none'],
    [
      '{% for i in range(9) if i is odd %}{% if i == 3 %}{% continue %}{% endif %}{% if i > 6 %}{% break %}{% endif %}{{ loop.index }}{{ i }} {% endfor %}',
      '11 35 ',
    ],
    ['{% set n = 1 %}{% for i in [1] %}{% set n = 2 %}{% endfor %}{{ n }}', '1'],
    [
      '{% set ns = namespace(found=false) %}{% for i in [1] %}{% set ns.found = true %}{% endfor %}{{ ns.found }}',
      'true',
    ],
    [
      '{% macro f() %}<{{ caller(1) }}>{% endmacro %}{% call(n) f() %}n={{ n }}{% endcall %}',
      '<n=1>',
    ],
    ['{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, a=2) }}', '[1]{"a": 2}'],
    ['{% filter upper %}text{% endfilter %} {{ "a" if false }}{{ 1 if true else 2 }}', 'TEXT 1'],
    [
      '{{ 1 == 1.0 }} {{ true == 1 }} {{ [1, {"a": 2}] == [1, {"a": 2}] }} {{ none == false }}',
      'true true true false',
    ],
    [
      '{{ {"a": [1, "é"]} | tojson(indent=2) }} {{ "é" | tojson(ensure_ascii=true) }}',
      '{\n  "a": [\n    1,\n    "é"\n  ]\n} "\\u00e9"',
    ],
  ])('%j', (source, text) => {
    expect(render(source)).toBe(text);
  });
});

describe('data stands between its marks', () => {
  test.each([
    ['what a set holds', '{% set a = inputs.question %}{% set b = [a] %}{{ b[0] }}', '«Why?»'],
    [
      'what a loop goes over',
      '{% for k in inputs %}{% if loop.first %}{{ k }}{{ loop.nextitem }}{% endif %}{% endfor %}',
      '«question»«tags»',
    ],
    [
      'what a macro is given, once',
      '{% macro f(a) %}({{ a }}){% endmacro %}{{ f(inputs.question) }}{{ f("x") }}',
      '(«Why?»)(x)',
    ],
    [
      'a macro in a macro, once',
      '{% macro f(a) %}{{ a }}{% endmacro %}{% macro g(a) %}g {{ f(a) }}{% endmacro %}{{ g(inputs.question) }}',
      'g «Why?»',
    ],
    [
      'what is made of what a macro has made',
      '{% macro f(a) %}is {{ a }}{% endmacro %}{{ f(inputs.question) | upper }}',
      '«IS WHY?»',
    ],
    [
      'a set block, in its pieces',
      '{% set a %}Q: {{ inputs.question }}{% endset %}{{ a }} {{ a ~ "!" }}',
      'Q: «Why?» «Q: Why?!»',
    ],
    [
      'a filter block with data in it',
      '{% filter upper %}q: {{ inputs.question }}{% endfilter %}',
      '«Q: WHY?»',
    ],
    [
      'a call block',
      '{% macro f() %}{{ caller(inputs.question) }}{% endmacro %}{% call(a) f() %}a={{ a }}{% endcall %}',
      'a=«Why?»',
    ],
    [
      'a namespace, and all that holds it',
      '{% set ns = namespace(a=1) %}{% set l = [ns] %}{% set ns.a = inputs.question %}{{ ns.a }}{{ l[0].a }}{{ l }}{{ l | map(attribute="a") | first }}',
      '«Why?»«Why?»«[{"a": "Why?"}]»«Why?»',
    ],
    [
      'an argument of a filter',
      '{{ guidelines | replace("fair", inputs.question) }}{{ x | default(inputs.question) }}',
      '«Be Why?.»«Why?»',
    ],
    [
      'what a method makes',
      '{{ inputs.question.upper() }}{{ "-".join(inputs.tags) }}',
      '«WHY?»«a-b»',
    ],
    [
      'sums and choices',
      '{{ "a" + inputs.question }}{{ inputs.x or "none" }}{{ inputs.question if true }}',
      '«aWhy?»«none»«Why?»',
    ],
    [
      'what goes over what a macro has made',
      '{% macro f(a) %}{{ a }}{% endmacro %}{% for c in f(inputs.tags[0]) %}{{ c }}{% endfor %}',
      '«a»',
    ],
    [
      'what a macro has made, passed on',
      '{% macro f(a) %}{{ a }}{% endmacro %}{% macro g() %}{{ varargs }}{% endmacro %}{{ g(f(inputs.tags[0])) }}{{ g(*f(inputs.tags[0])) }}',
      '«["a"]»«["a"]»',
    ],
    [
      'arguments that are passed on',
      '{% macro f() %}{{ varargs[0] }}{{ kwargs.b }}{% endmacro %}{{ f(*inputs.tags) }}{{ f(1, **inputs) }}',
      '«a»1«»',
    ],
  ])('%s', (_name, source, text) => {
    expect(render(source)).toBe(text);
  });

  test.each([
    [
      'a condition',
      '{{ "yes" if inputs.flag else "no" }}{% if inputs.question == "Why?" %}1{% endif %}',
      'yes1',
    ],
    [
      'a comparison',
      '{{ inputs.question == "Why?" }} {{ inputs.x is defined }} {{ not inputs.x }} {{ "a" in inputs.tags }}',
      'true false true true',
    ],
    [
      'a count',
      '{{ inputs.items | length }} {{ loop_ | default(inputs.items | count) }} {% for i in range(inputs.items | length) %}{{ i }}{% endfor %}',
      '3 3 012',
    ],
    [
      'a counter',
      '{% for i in inputs.items %}{{ loop.index }}/{{ loop.length }} {% endfor %}',
      '1/3 2/3 3/3 ',
    ],
  ])('but %s is no data', (_name, source, text) => {
    expect(render(source)).toBe(text);
  });

  test('that follow from the template and every value', () => {
    const delimiters = [
      outcome('a'),
      outcome('b'),
      outcome('a', { inputs: {} }),
      outcome('a', { guidelines: '' }),
      outcome('a'),
    ].map((rendering) => rendering.ok && rendering.delimiter);
    expect(new Set(delimiters).size).toBe(4);
    expect(delimiters[0]).toBe(delimiters[4]);
    expect(delimiters[0]).toMatch(/^data-[0-9a-f]{12}$/);
  });

  test('and cannot close them, whatever it is', () => {
    const delimiter = 'data-0123456789ab';
    const parts = fc.constantFrom(
      '</',
      '<',
      '>',
      delimiter,
      delimiter.toUpperCase(),
      'data-',
      '0123456789ab',
      'data-removed',
      ' ',
      '$&',
    );
    fc.assert(
      fc.property(fc.array(parts), (chosen) => {
        const marked = delimit(chosen.join(''), delimiter);
        expect(marked.toLowerCase().split(delimiter)).toHaveLength(3);
        expect(marked).toMatch(/^<data-0123456789ab>[\s\S]*<\/data-0123456789ab>$/);
      }),
    );
  });
});

describe('a record is plain data', () => {
  test('whose JSON is what it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const inputs = JSON.parse(JSON.stringify(value));
        for (const source of [
          '{{ inputs | tojson }}',
          '{{ inputs | tojson(indent=2) }}',
          '{{ [inputs] }}',
        ]) {
          const text = render(source, { inputs }).slice(1, -1);
          expect(JSON.parse(text)).toEqual(source.includes('[') ? [inputs] : inputs);
        }
      }),
    );
  });

  test('where names that objects inherit are ordinary', () => {
    const inputs = JSON.parse('{"__proto__": {"a": 1}, "constructor": "c", "kind": "k"}');
    expect(
      render('{{ inputs.__proto__.a }}{{ inputs.constructor }}{{ inputs.kind }}', { inputs }),
    ).toBe('«1»«c»«k»');
    const source =
      '{{ inputs.__proto__ }}{{ inputs.constructor }}{{ inputs.toString }}{{ inputs.tags.length }}{{ inputs.question.length }}';
    expect(render(source)).toBe('«»«»«»«»«»');
    expect(render('{% set a = {"__proto__": 1} %}{{ a }}{{ a.__proto__ }}{{ a.valueOf }}')).toBe(
      '{"__proto__": 1}1',
    );
    expect(
      render(
        '{{ inputs | map(attribute="constructor") | join }}{{ inputs | selectattr("toString") | list }}',
      ),
    ).toBe('«»«[]»');
  });

  test('that has fields named like methods', () => {
    const inputs = { items: ['a'], keys: 1, get: 2 };
    expect(
      render(
        '{{ inputs.items[0] }}{{ inputs.keys }}{{ inputs.items() | length }}{{ inputs.get("get") }}',
        { inputs },
      ),
    ).toBe('«a»«1»3«2»');
  });
});

describe('what cannot be rendered is told with its place', () => {
  test.each([
    ['a\n{% for m in inputs.flag %}{% endfor %}', 2, 20, 'A boolean has no items to go over.'],
    ['{% for m in inputs.nothing %}{% endfor %}', 1, 20, 'Null has no items to go over.'],
    ['{{ 1 }}\n{{ 1 + none }}', 2, 6, '`+` cannot work on a number and null.'],
    ['{{ inputs.x > 3 }}', 1, 13, 'Nothing and a number have no order to compare them by.'],
    ['{{ 1 // 0 }}', 1, 6, '`//` gives no finite number here.'],
    ['{{ inputs.question.items() }}', 1, 20, 'A text has no method `items`.'],
    ['{% set a = 1 %}{{ a() }}', 1, 19, 'A number cannot be called: it is no macro.'],
    ['{% macro f() %}{% endmacro %}{{ [f] }}', 1, 34, 'A macro cannot become JSON.'],
    ['{{ a', 1, 1, 'The template has `{{` without its `}}`.'],
    ['{{ a | nope }}', 1, 8, 'There is no filter `nope`.'],
  ])('%j', (source, line, column, message) => {
    expect(outcome(source)).toEqual({ ok: false, line, column, message });
  });

  test('but an unknown variable of an old template is nothing', () => {
    expect(outcome('[{{ old.name }}]')).toMatchObject({ ok: true, text: '[]' });
  });
});
