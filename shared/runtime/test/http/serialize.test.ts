import { JsonText, payload, StoredJsonText } from '@assay/contracts/payload';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compileSerializer, replyBody } from '../../http/serialize.ts';

const schema = z.object({
  id: z.string(),
  note: z.string().nullable(),
  more: z.number().optional(),
  data: payload('x'),
  list: z.array(z.object({ data: payload('y').nullable() })),
});
const serialize = compileSerializer(schema);
const value = {
  id: 'a"b',
  note: null,
  data: new JsonText(Buffer.from('{ "n" : 1.0 }')),
  list: [{ data: null }],
  secret: 'not declared',
};

async function textOf(body: ReturnType<typeof replyBody>): Promise<string> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body.toString();
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

describe('a reply', () => {
  test('has what its contract declares and nothing besides; payloads are copied as they are', async () => {
    expect(await textOf(replyBody(serialize(value)))).toBe(
      '{"id":"a\\"b","note":null,"data":{ "n" : 1.0 },"list":[{"data":null}]}',
    );
  });

  test('with a payload that is read while it is sent is the same text', async () => {
    const chunks = async function* () {
      yield Buffer.from('{"large"');
      yield Buffer.from(':true}');
    };
    const stored = { ...value, more: 3, data: new StoredJsonText(14, chunks) };
    expect(await textOf(replyBody(serialize(stored)))).toBe(
      '{"id":"a\\"b","note":null,"more":3,"data":{"large":true},"list":[{"data":null}]}',
    );
  });

  test('that lacks what its contract declares is a fault of ours', () => {
    expect(() => serialize({ ...value, id: undefined })).toThrow('lacks a value');
  });
});
