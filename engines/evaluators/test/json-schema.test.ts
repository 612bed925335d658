import { parseJson } from '@assay/json/parse';
import { afterAll, describe, expect, test } from 'vitest';
import { readDocuments } from '../evaluate.ts';
import { fencedTexts } from '../fence.ts';
import { createSetting } from './setting.ts';

const { run, judge, close } = createSetting();
afterAll(close);

const fits = (output: unknown, schema: unknown, options = {}) =>
  judge('json_schema', output, undefined, { schema, ...options });

const city = { required: ['city'], properties: { city: { type: 'string' } } };

describe('json_schema and a text', () => {
  test('is the JSON that the whole text is, where the schema asks for no text', async () => {
    expect(await fits('sorry, no', city)).toBe(false);
    expect(await fits('{"city": 5}', city)).toBe(false);
    expect(await fits('{"city": "Par', city)).toBe(false);
    expect(await fits('{"city": "Bonn"}', city)).toBe(true);
    expect(await fits('Here it is: {"city": "Bonn"}', city)).toBe(false);
    expect(await fits('', city)).toBe(false);
    expect(await fits(' 42\n', { type: 'integer' })).toBe(true);
    expect(await fits('null', { type: 'null' })).toBe(true);
  });

  test('is the text itself beside that, where the schema asks for a text', async () => {
    expect(await fits('42', { type: 'string' })).toBe(true);
    expect(await fits('42', { type: 'integer' })).toBe(true);
    expect(await fits('prose', { maxLength: 280 })).toBe(true);
    expect(await fits('too long', { maxLength: 3 })).toBe(false);
    expect(await fits('yes', { enum: ['yes', 'no'] })).toBe(true);
    expect(await fits('perhaps', { enum: ['yes', 'no'] })).toBe(false);
    expect(await fits('{"city": "Bonn"}', { anyOf: [city, { const: 'none' }] })).toBe(true);
    expect(await fits('none', { anyOf: [{ type: 'object' }, { const: 'none' }] })).toBe(true);
    expect(await fits('prose', { not: { type: 'object' } })).toBe(true);
  });

  test('tells why a text does not fit', async () => {
    const reasoningOf = async (output: string) => {
      const result = await run({
        name: 'json_schema',
        options: { schema: city },
        outputs: { o: output },
      });
      return result.ok && result.reasoning;
    };
    expect(await reasoningOf('sorry, no')).toBe('The output is a text that is not JSON.');
    expect(await reasoningOf('{"city": 5}')).toMatch(/does not fit the schema. "city" must be/);
  });

  test('gives 0 in a float metric', async () => {
    const metric = { name: 'json_schema', outputType: 'float' as const, options: { schema: city } };
    expect(await run({ ...metric, outputs: { o: 'sorry, no' } })).toMatchObject({ value: 0 });
  });

  test('keeps the digits of numbers, as they are and in a text', async () => {
    const outputs = parseJson('{"o":{"id":12345678901234567891}}');
    const options = { schema: { properties: { id: { multipleOf: 2 } } } };
    expect(await run({ name: 'json_schema', options, outputs })).toMatchObject({ value: false });
    expect(await fits('{"id":12345678901234567891}', options.schema)).toBe(false);
    expect(await fits('{"id":12345678901234567892}', options.schema)).toBe(true);
  });
});

const fence = (json: string, sign = '```') => `Here it is:\n${sign}json\n${json}\n${sign}\nBye.`;

describe('a code fence', () => {
  test('stays a text, unless the option says that its JSON is taken out', async () => {
    expect(await fits(fence('{"city": "Bonn"}'), city)).toBe(false);
    expect(await fits(fence('{"city": "Bonn"}'), city, { fenced: true })).toBe(true);
    expect(await fits(fence('{"city": "Bonn"}', '~~~~'), city, { fenced: true })).toBe(true);
    expect(await fits(fence('{"city": 5}'), city, { fenced: true })).toBe(false);
    expect(await fits('{"city": "Bonn"}', city, { fenced: true })).toBe(true);
    expect(await fits('sorry, no', city, { fenced: true })).toBe(false);
    const expected = { city: 'Bonn' };
    expect(await judge('json_equal', fence('{"city": "Bonn"}'), expected)).toBe(false);
    expect(await judge('json_equal', fence('{"city": "Bonn"}'), expected, { fenced: true })).toBe(
      true,
    );
    expect(await judge('json_equal', fence('42'), 42, { fenced: true })).toBe(true);
    expect(await judge('json_equal', fence('print(1)'), expected, { fenced: true })).toBe(false);
  });

  test('counts where it is the first that holds JSON', async () => {
    const two = `${fence('print(1)')}\n${fence('{"city": "Bonn"}')}\n${fence('{"city": 5}')}`;
    expect(await fits(two, city, { fenced: true })).toBe(true);
  });

  test('ends at its own sign, or with the text', () => {
    expect(fencedTexts('a\n````json\n```\n1\n````\nb')).toEqual(['```\n1']);
    expect(fencedTexts('```\r\n{}\r\n```')).toEqual(['{}']);
    expect(fencedTexts('```json\n{"a":\n1}')).toEqual(['{"a":\n1}']);
    expect(fencedTexts('no `code` and ```none```')).toEqual([]);
  });
});

describe('the texts that have to fit, read of the bytes of a record', () => {
  const read = (outputs: string, output?: string) => {
    const options = { schema: city, ...(output === undefined ? {} : { output }) };
    const builtin = { name: 'json_schema', options };
    const bytes = Buffer.from(outputs);
    const found = readDocuments({ builtin, outputType: 'boolean', outputs: bytes });
    return 'documents' in found
      ? found.documents.map((document) => Buffer.from(document).toString())
      : found.evaluation;
  };

  test.each([
    ['the only field', '{ "o" : {"id": 1.0} }', undefined, ['{"id": 1.0}']],
    ['the place of the pointer', '{"a":[1,{"b":[2]}],"c":3}', '/a/1/b', ['[2]']],
    ['the last one of a repeated key', '{"o":1,"o":2}', '/o', ['2']],
    ['null', '{"o":null}', '/o', ['null']],
    ['the whole record', '{"o":[1]}', '', ['{"o":[1]}']],
    ['the JSON of a text', '{"o":"{\\"city\\": 5}"}', '/o', ['{"city": 5}']],
  ])('are %s', (_what, outputs, pointer, documents) => {
    expect(read(outputs, pointer)).toEqual(documents);
  });

  test('are none where nothing is there, and where two fields could be meant', () => {
    const missing = { ok: false, message: 'The record\'s outputs has nothing at "/x".' };
    expect(read('{"o":1}', '/x')).toMatchObject(missing);
    expect(read('{"a":1,"b":2}')).toMatchObject({
      message: expect.stringContaining('has 2 fields ("a", "b")'),
    });
  });
});
