import type { BytesReply } from '@assay/contracts/define';
import { bytesReply } from '@assay/runtime/http/ranges';
import { expect, test } from 'vitest';

const bytes = Buffer.from('0123456789');
const stored: BytesReply = {
  contentType: 'application/json',
  byteLength: bytes.length,
  etag: 'tag',
  filename: undefined,
  async *read(from, to) {
    yield bytes.subarray(from, to);
  },
};

async function answer(headers: Record<string, string>, reply = stored) {
  const { status, headers: sent = {}, body } = bytesReply(reply, headers);
  const pieces: Uint8Array[] = [];
  if (body) for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return { status, text: Buffer.concat(pieces).toString(), range: sent['content-range'], sent };
}

test('without a range the whole is sent, with its tag and length', async () => {
  const { status, text, sent } = await answer({});
  expect([status, text]).toEqual([200, '0123456789']);
  expect(sent).toMatchObject({ etag: '"tag"', 'content-length': '10', 'accept-ranges': 'bytes' });
  expect(sent['content-disposition']).toBeUndefined();
});

test.each([
  ['bytes=0-3', '0123', 'bytes 0-3/10'],
  ['bytes=4-', '456789', 'bytes 4-9/10'],
  ['bytes=-3', '789', 'bytes 7-9/10'],
  ['bytes=-20', '0123456789', 'bytes 0-9/10'],
  ['bytes=8-99', '89', 'bytes 8-9/10'],
])('the range %s gives that part', async (range, text, contentRange) => {
  expect(await answer({ range })).toMatchObject({ status: 206, text, range: contentRange });
});

test.each(['bytes=3-1', 'bytes=-', 'items=0-1', 'bytes=0-1,4-5', 'bytes=a-b', ''])(
  'the range %j is no single range of bytes, and gives the whole',
  async (range) => {
    expect(await answer({ range })).toMatchObject({ status: 200, text: '0123456789' });
  },
);

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])(
  'the range %s begins after the last byte, and is a 416 that says how many there are',
  (range) => {
    expect(() => bytesReply(stored, { range })).toThrowError(
      expect.objectContaining({ code: 'RANGE_NOT_SATISFIABLE', details: { byteLength: 10 } }),
    );
  },
);

test.each(['"tag"', 'W/"tag"', '"other", "tag"', '*'])(
  'to a client that has %s nothing is sent again',
  async (tags) => {
    expect(await answer({ 'if-none-match': tags, range: 'bytes=0-1' })).toMatchObject({
      status: 304,
      text: '',
      sent: { etag: '"tag"' },
    });
  },
);

test('a part of other bytes than the client has the beginning of is not sent: it gets the whole', async () => {
  expect(await answer({ range: 'bytes=5-', 'if-range': '"old"' })).toMatchObject({ status: 200 });
  expect(await answer({ range: 'bytes=5-', 'if-range': '"tag"' })).toMatchObject({ status: 206 });
});

test('a name makes browsers store the bytes', async () => {
  const { sent } = await answer({}, { ...stored, filename: 'record-outputs.json' });
  expect(sent['content-disposition']).toBe('attachment; filename="record-outputs.json"');
});
