import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openZip } from '../reading/zip.ts';
import { fileOf, readBytes } from '../source.ts';
import { zipOf, zstdBomb, zstdOf } from './archive.ts';

const text = Buffer.from('Where is my parcel? '.repeat(20_000));

async function unpack(archive: Uint8Array): Promise<Record<string, Uint8Array>> {
  const members = await openZip(fileOf('a.zip', archive));
  const unpacked: Record<string, Uint8Array> = {};
  for (const [name, member] of members) unpacked[name] = await readBytes(member, 0, member.size);
  return unpacked;
}

describe('an archive', () => {
  test.each([0, 8, 93] as const)('of members packed by method %i is unpacked', async (method) => {
    const members = await unpack(zipOf([{ name: 'folder/a.txt', bytes: text, method }]));
    expect(Buffer.from(members['folder/a.txt']!).equals(text)).toBe(true);
  });

  test('whose zstd has several frames is unpacked whole', async () => {
    const packed = Buffer.concat([
      zstdOf(text.subarray(0, 150_000)),
      zstdOf(text.subarray(150_000)),
    ]);
    const members = await unpack(zipOf([{ name: 'a', bytes: text, method: 93, packed }]));
    expect(Buffer.from(members.a!).equals(text)).toBe(true);
  });

  test('that is cut off anywhere is refused by one sentence', async () => {
    const archive = zipOf([{ name: 'a', bytes: randomBytes(5000), method: 8 }]);
    for (const end of [4, 100, 3000, archive.length - 1])
      await expect(unpack(archive.subarray(0, end))).rejects.toThrow(/cut off/);
  });

  test('with a byte changed is refused', async () => {
    for (const method of [0, 8, 93] as const) {
      const archive = Buffer.from(zipOf([{ name: 'a', bytes: text, method }]));
      archive[90]! ^= 0x55;
      await expect(unpack(archive)).rejects.toThrow(/^a\.zip\/a: (cannot be unpacked|is not what)/);
    }
  });

  test('that says it is smaller than it is is refused', async () => {
    const archive = zipOf([{ name: 'a', bytes: text, method: 8, size: 10 }]);
    await expect(unpack(archive)).rejects.toThrow('ends too early');
  });

  test('that unpacks to a thousand times its size is refused long before that', async () => {
    const packed = zstdBomb(1024 ** 3);
    const archive = zipOf([{ name: 'a', bytes: new Uint8Array(0), method: 93, packed }]);
    const member = (await openZip(fileOf('a.zip', archive))).get('a')!;
    let bytes = 0;
    async function read(): Promise<void> {
      for await (const chunk of member.open()) bytes += chunk.length;
    }
    await expect(read()).rejects.toThrow('which is too much for an archive of its size');
    expect(bytes).toBeLessThan(64 * 1024 ** 2);
  });

  test('whose zstd wants a window of gigabytes is refused before it is kept', async () => {
    const packed = Buffer.from(zstdOf(text));
    const frame = Buffer.concat([
      packed.subarray(0, 4),
      Buffer.from([0x00, 31 << 3]),
      packed.subarray(9),
    ]);
    for (const bytes of [frame, Buffer.concat([packed, frame])])
      await expect(
        unpack(zipOf([{ name: 'a', bytes: text, method: 93, packed: bytes }])),
      ).rejects.toThrow('cannot be unpacked');
  });
});
