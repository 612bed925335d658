import { describe, expect, test } from 'vitest';
import { checkTemplate } from '../check.ts';
import { renderTemplate } from '../render.ts';

const values = {
  inputs: { question: 'Why?', größe: 3 },
  expected: {},
  outputs: { 回答: 'はい', réponse_2: 'oui', ответ: 'да' },
  guidelines: 'Be fair.',
};

function render(source: string): string {
  const rendering = renderTemplate({ source, values });
  if (!rendering.ok) throw new Error(rendering.message);
  return rendering.text
    .replaceAll(`<${rendering.delimiter}>`, '«')
    .replaceAll(`</${rendering.delimiter}>`, '»');
}

describe('raw blocks', () => {
  test.for([
    [
      'a {% raw %}{{ inputs.x }} {% if %}{# no comment #}{% endraw %} b',
      'a {{ inputs.x }} {% if %}{# no comment #} b',
    ],
    ['{% raw %}{% raw %}{% endraw %}', '{% raw %}'],
    ['a \n{%- raw -%} \n {{ x }} \n{%- endraw -%}\n b', 'a{{ x }}b'],
    ['{%raw%}{% endraw%}{{ guidelines }}', 'Be fair.'],
    ['{% if true %}{% raw %}}}{% endraw %}{% endif %}', '}}'],
  ] as const)('are text, and their tags mean nothing: %j', ([source, text]) => {
    expect(checkTemplate(source)).toEqual([]);
    expect(render(source)).toBe(text);
  });

  test('that do not end are told with their place, and an end without a start as well', () => {
    expect(checkTemplate('a\n{% raw %}{{ x }}')).toEqual([
      { line: 2, column: 1, message: 'has `{% raw %}` without its `{% endraw %}`' },
    ]);
    expect(checkTemplate('{% endraw %}')[0]).toMatchObject({ line: 1 });
  });
});

describe('names in other scripts', () => {
  test.for([
    ['{{ outputs.回答 }}', '«はい»'],
    ['{{ outputs.réponse_2 }} {{ outputs.ответ | upper }}', '«oui» «ДА»'],
    ['{% set größe = inputs.größe %}{{ größe }}', '«3»'],
    ['{% for 文字 in outputs.回答 %}[{{ 文字 }}]{% endfor %}', '[«は»][«い»]'],
  ] as const)('are names: %j', ([source, text]) => {
    expect(checkTemplate(source)).toEqual([]);
    expect(render(source)).toBe(text);
  });

  test('that mean nothing are told with their place, and a symbol is no name', () => {
    expect(checkTemplate('{{ 回答 }}')[0]).toMatchObject({
      line: 1,
      column: 4,
      message: expect.stringContaining('unknown variable `回答`'),
    });
    expect(checkTemplate('{{ outputs.→ }}')[0]?.message).toContain(
      '`→`, which means nothing inside a tag',
    );
  });
});

describe("names of the field's published templates", () => {
  test('mean what they mean there: the guidelines, and all inputs', () => {
    const source = '{{ gradingInstructionsAndExamples }} {{ allInputs.question }} {{ allInputs }}';
    expect(checkTemplate(source)).toEqual([]);
    expect(render(source)).toBe('Be fair. «Why?» «{"question": "Why?", "größe": 3}»');
  });

  test('are no methods, and can be set', () => {
    expect(checkTemplate('{{ allInputs.shout() }}')[0]?.message).toContain(
      'unknown method `shout`',
    );
    expect(render('{% set allInputs = 1 %}{{ allInputs }}')).toBe('1');
  });
});
