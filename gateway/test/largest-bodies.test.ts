import { gzipSync } from 'node:zlib';
import { volume } from '@assay/testing/volume';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { connect, headOf } from './connection.ts';

const limitBytes = 15 * 1024 * 1024;

/** All of Assay, and a run in it. */
let assay: SharedInstallation;
let run: string;
beforeAll(async () => {
  assay = await shareInstallation();
  const project = (await assay.call('POST', '/projects', { name: 'p', description: '' })).body.id;
  run = `/runs/${(await assay.call('POST', `/projects/${project}/runs`, { metricIds: [] })).body.id}`;
});

const numRecords = async () => (await assay.call('GET', run)).body.numRecords;
const headers = () => ({
  authorization: `Bearer ${assay.key}`,
  'content-type': 'application/json',
});

interface Shape {
  start: string;
  /** The text of so many pieces of as many bytes. */
  pieces: (count: number) => string;
  pieceBytes: number;
  end: string;
}

/**
 * A record of exactly so many bytes, whose inputs are filled with pieces, and with spaces where no
 * more of them fits.
 */
function recordOf(
  { start, pieces, pieceBytes, end }: Shape,
  bytes: number,
): { body: Buffer; inputs: Buffer } {
  const [head, tail] = ['{"inputs":', ',"expected":{},"outputs":{}}'];
  const free = bytes - `${head}${start}${end}${tail}`.length;
  const inputs = Buffer.from(
    `${start}${pieces(Math.floor(free / pieceBytes))}${' '.repeat(free % pieceBytes)}${end}`,
  );
  return { body: Buffer.concat([Buffer.from(head), inputs, Buffer.from(tail)]), inputs };
}

const same = (piece: string) => ({
  pieces: (count: number) => piece.repeat(count),
  pieceBytes: piece.length,
});
const text: Shape = { start: '{"a":"', ...same('x'), end: '"}' };
const nested = 509;
const key = (index: number) => `"$a.${String(index).padStart(8, '0')}":0,`;
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index)).join('');
const shapes: Record<string, Shape> = {
  'one text': text,
  'escapes, NUL and halves of surrogates': {
    start: '{"a":"',
    ...same('\\u0000\\ud800\\"\\\\\\/\\n\\ud83d\\ude00'),
    end: '"}',
  },
  'millions of one-digit numbers': { start: '{"a":[', ...same('7,'), end: '7]}' },
  'nesting as deep as may be': {
    start: '{"a":[',
    ...same(`${'['.repeat(nested)}${']'.repeat(nested)},`),
    end: '0]}',
  },
  'a million names with dots and dollars': {
    start: '{"__proto__":{"$where":1},',
    pieces: keys,
    pieceBytes: key(0).length,
    end: '"":{}}',
  },
  'many small objects': {
    start: '{"a":[',
    ...same('{"$a.b":{"__proto__":[]},"toString":null},'),
    end: '0]}',
  },
};

describe('a record of 15 MiB in one text, and of as much as is tested in other shapes,', () => {
  test.each(Object.entries(shapes))('comes back byte for byte: %s', async (_name, shape) => {
    const bytes = shape === text ? limitBytes : volume(limitBytes);
    const { body, inputs } = recordOf(shape, bytes);
    expect(body.length).toBe(bytes);
    const created = await fetch(`${assay.url}/v2${run}/records`, {
      method: 'POST',
      headers: headers(),
      body,
    });
    expect(created.status).toBe(201);
    const { id } = JSON.parse(
      `${(await created.text()).split(',"inputs":')[0]!.replace(/,$/, '')}}`,
    );
    const read = Buffer.from(
      await (await fetch(`${assay.url}/v2/records/${id}`, { headers: headers() })).arrayBuffer(),
    );
    const at = read.indexOf('"inputs":') + '"inputs":'.length;
    expect(read.subarray(at, at + inputs.length).equals(inputs)).toBe(true);
    expect(read.toString('latin1', at + inputs.length)).toContain(',"expected":{},"outputs":{}');
  });
});

const lastChunk = '0\r\n\r\n';
const chunked = (body: Buffer) =>
  Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from(`\r\n${lastChunk}`),
  ]);
const asItIs = (body: Buffer) => body;

describe.each<[string, (body: Buffer) => Buffer, (sent: Buffer) => object]>([
  ['by its Content-Length', asItIs, ({ length }) => ({ 'content-length': length })],
  ['by counting', chunked, () => ({ 'transfer-encoding': 'chunked' })],
  [
    'by counting what is decoded',
    gzipSync,
    ({ length }) => ({ 'content-length': length, 'content-encoding': 'gzip' }),
  ],
  [
    'by counting, after it was asked for',
    chunked,
    () => ({ 'transfer-encoding': 'chunked', expect: '100-continue' }),
  ],
])('the limit of 15 MiB, %s', (_name, encode, lengthOf) => {
  /** Sends a record of so many bytes over a connection of its own, and another request after it. */
  async function send(bytes: number) {
    const { body } = recordOf(text, bytes);
    const sent = encode(body);
    const isAsking = 'expect' in lengthOf(sent);
    const client = connect(assay.url);
    client.write(headOf('POST', `${run}/records`, { ...headers(), ...lengthOf(sent) }));
    if (isAsking) expect((await client.reply()).status).toBe(100);
    // Only where its body is not whole is a client that asked first told to leave.
    client.write(isAsking && bytes > limitBytes ? sent.subarray(0, -lastChunk.length) : sent);
    const reply = await client.reply();
    client.write(headOf('GET', run, headers()));
    const next = reply.headers.connection === 'close' ? undefined : (await client.reply()).status;
    client.vanish();
    return { reply, next };
  }

  test('is taken, and one byte more is a 413 that stores nothing; the connection goes on', async () => {
    const before = await numRecords();
    const taken = await send(limitBytes);
    expect([taken.reply.status, taken.next]).toEqual([201, 200]);
    const { reply, next } = await send(limitBytes + 1);
    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.text)).toEqual({
      code: 'PAYLOAD_TOO_LARGE',
      message: `The body is larger than ${limitBytes} bytes.`,
      details: { limitBytes },
    });
    expect(next).toBe('expect' in lengthOf(Buffer.alloc(0)) ? undefined : 200);
    expect(await numRecords()).toBe(before + 1);
  });
});
