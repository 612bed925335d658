import { crc32, deflateRawSync } from 'node:zlib';

interface Member {
  name: string;
  bytes: Uint8Array;
  method?: 0 | 8 | 93;
  /** What is written for the bytes, where it is not them as the method packs them. */
  packed?: Uint8Array;
  size?: number;
}

/** A zip archive, written by hand so that it can lie. */
export function zipOf(members: Member[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, method = 0, packed, size = bytes.length } of members) {
    const content =
      packed ?? (method === 8 ? deflateRawSync(bytes) : method === 93 ? zstdOf(bytes) : bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = [Buffer.from('PK\x03\x04'), fields, Buffer.from(name), Buffer.from(content)];
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02\x14\x00', 'latin1'),
        fields,
        central,
        Buffer.from(name),
      ]),
    );
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** A frame of zstd whose blocks are stored as they are. */
export function zstdOf(bytes: Uint8Array): Uint8Array {
  const blocks: Buffer[] = [];
  const step = 100_000;
  for (let at = 0; at === 0 || at < bytes.length; at += step) {
    const block = bytes.subarray(at, at + step);
    blocks.push(blockHeader(block.length, 0, at + step >= bytes.length), Buffer.from(block));
  }
  return Buffer.concat([frameHeader(bytes.length), ...blocks]);
}

/** A frame of zstd that unpacks to this many zeros, a thousandth of a percent of them long. */
export function zstdBomb(bytes: number): Uint8Array {
  const step = 131_072;
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes; at += step)
    blocks.push(blockHeader(step, 1, at + step >= bytes), Buffer.from(' '));
  // A window of 128 KiB, and no size.
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3]), ...blocks]);
}

function frameHeader(size: number): Buffer {
  const header = Buffer.alloc(9);
  header.set([0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000]);
  header.writeUInt32LE(size, 5);
  return header;
}

function blockHeader(size: number, type: 0 | 1, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return header;
}
