import type { NumberedBody } from './load.ts';

/** Stands for the number of a turn in bytes that are made ready. */
export const numberMark = Uint8Array.of(0xa5, 0x5a, 0xc3, 0x3c);

/** Finds the places of the marks. */
export function numberedBody(bytes: Uint8Array): NumberedBody {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const numberAt: number[] = [];
  const step = numberMark.length;
  for (let at = searched.indexOf(numberMark); at >= 0; at = searched.indexOf(numberMark, at + step))
    numberAt.push(at);
  return { bytes, numberAt };
}

/** An odd factor: each number of 32 bits becomes another one, and neighbours lie far apart. */
const spread = 0x9e3779b1;

/** The body of a turn, which no other turn has. */
export function bodyOfTurn({ bytes, numberAt }: NumberedBody, turn: number): Buffer {
  const body = Buffer.from(bytes);
  for (const at of numberAt) body.writeUInt32BE(Math.imul(turn, spread) >>> 0, at);
  return body;
}
