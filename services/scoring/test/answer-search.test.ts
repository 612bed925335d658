import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createReadAnswer } from '../src/judges/answer.ts';
import { schema, verdict } from './judges-setting.ts';

const readAnswer = createReadAnswer();
const read = (text: string, finish: 'stop' | 'length' = 'stop') =>
  readAnswer(
    { content: [{ type: 'text', text }], finishReason: { unified: finish } } as never,
    schema,
  );
const json = JSON.stringify(verdict);
const other = { reasoning: 'It is wrong.', binaryScore: false };
const taken = { ok: true, answer: verdict };
const refused = (wrong: string) => ({ ok: false, wrong: expect.stringContaining(wrong) });

describe('an answer is found', () => {
  const prose = fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '{}',
        '[',
        ']',
        '"',
        '\\',
        '`',
        '```',
        '```json\n',
        '{"a": 1}',
        '{"a": [{"b": {}}]}',
        'if (x) { return y; }',
        '$\\frac{1}{2}$',
        '{x | x > 0}',
        '{{ outputs.answer }}',
        ' \n',
        'é😀',
        'words ',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));

  test('whatever prose stands before it and after it, with any braces', async () => {
    await fc.assert(
      fc.asyncProperty(prose, prose, async (before, after) => {
        expect(await read(`${before}${json}${after}`)).toEqual(taken);
      }),
    );
  });

  test('after the block in which the model reasons, whatever that says', async () => {
    const block = fc.constantFrom(
      ['<think>', '</think>'],
      ['<Thinking>', '</Thinking>'],
      ['\n<reasoning>', '</reasoning>'],
      ['[THINK]', '[/THINK]'],
      // Templates of some models open the block themselves.
      ['Well,', '</think>'],
    );
    const draft = fc.constantFrom('', JSON.stringify(other), `{"quoted": "</think>"}`);
    await fc.assert(
      fc.asyncProperty(block, draft, prose, async ([open, close], said, words) => {
        const text = `${open}${words} ${said} ${words}${close}\n${json}`;
        // An unfinished quotation swallows what follows it in no reading of the text.
        expect(await read(text)).toEqual(taken);
      }),
    );
  });

  test.each([
    ['in a fence', `Here:\n\`\`\`json\n${json}\n\`\`\``],
    [
      'after several blocks of reasoning',
      `<think>Hm.</think>\n<think>Perhaps ${JSON.stringify(other)}</think>${json}`,
    ],
    ['with marks of reasoning in its own reasoning', json.replace('right', 'right</think>')],
    ['with braces in its own reasoning', json.replace('right', '{right} } {')],
    ['in a list', `[${json}]`],
    ['before a mark that ends no reasoning', `${json} The output has a </think>.`],
  ])('%s', async (_, text) => {
    expect(await read(text)).toMatchObject({ ok: true, answer: { binaryScore: true } });
  });

  test('where it is said twice, with the reasoning of the first', async () => {
    const again = JSON.stringify({ binaryScore: true, reasoning: 'Once more.' });
    expect(await read(`${json} I repeat: ${again}`)).toEqual(taken);
  });

  test('in time in a text that is made of braces', async () => {
    const braces = ['{', '{"a":', '{"', '{"a":[', '}'].map((part) => part.repeat(200_000));
    for (const text of braces) expect(await read(`${text} ${json}`)).toEqual(taken);
  });
});

describe('an answer is asked for again', () => {
  test.each([
    ['where two differ', `${json} ${JSON.stringify(other)}`, 'several answers that differ'],
    [
      'where a fence and an object outside of it differ: the fence may be what is judged',
      `The output was\n\`\`\`json\n${JSON.stringify(other)}\n\`\`\`\nMy answer: ${json}`,
      'several answers that differ',
    ],
    ['where it stands in another object', `{"output": ${json}}`, 'does not fit the schema'],
    [
      'where its second block of reasoning never ends',
      `<think>Hm.</think><think>Perhaps ${json}`,
      'reasoning that never ends',
    ],
    ['where its reasoning never ends', `<think>Perhaps ${json}`, 'reasoning that never ends'],
    ['where it stands in the reasoning alone', `<think>${json}</think> Right.`, 'not one JSON'],
    [
      'where it has a key twice',
      '{"reasoning":"r","binaryScore":true,"binaryScore":false}',
      'has the key binaryScore twice',
    ],
    ['where a value is a text', '{"reasoning":"r","binaryScore":"true"}', 'must be boolean'],
    [
      'where it stands in an answer that is no JSON, by a quotation',
      `{"reasoning": "It says ${json}, which is wrong", "binaryScore": false}`,
      'several answers that differ',
    ],
    [
      'where it stands in an answer that is no JSON, by a comma',
      `{"reasoning": "r", "output": ${json}, "binaryScore": false,}`,
      'several answers that differ',
    ],
    [
      'where it stands beside an answer that is no JSON',
      `{'reasoning': 'r', 'binaryScore': False} The output was ${json}`,
      'several answers that differ',
    ],
    [
      'where it stands beside an answer with a key twice',
      `{"reasoning":"r","binaryScore":true,"binaryScore":false} The output was ${json}`,
      'several answers that differ',
    ],
    [
      'where the first one is followed by a quotation that closes no reasoning',
      `\`\`\`json\n${JSON.stringify(other)}\n\`\`\` The output was: </think>${json}`,
      'several answers that differ',
    ],
    ['where a comma trails', '{"reasoning":"r","binaryScore":true,}', 'not one JSON object'],
  ])('%s', async (_, text, wrong) => {
    expect(await read(text)).toMatchObject(refused(wrong));
  });
});
