import { ImportFailure } from '../failure.ts';
import { readBytes, type SourceFile } from '../source.ts';
import { ratioFreeBytes, unpackedBytesMax, unpackedRatioMax } from './limits.ts';
import { unpackZstd } from './zstd.ts';

const membersMax = 1_000_000;
const directoryBytesMax = 256 * 1024 * 1024;

export const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);

interface Member {
  name: string;
  method: number;
  isEncrypted: boolean;
  checksum: number;
  packed: number;
  size: number;
  offset: number;
}

/**
 * The members of a zip archive by their names, unpacked when they are opened: stored, deflated, or
 * packed by zstd (method 93). @throws for an archive that is cut off or damaged, and for one that
 * unpacks to much more than itself.
 */
export async function openZip(file: SourceFile): Promise<Map<string, SourceFile>> {
  const budget = createBudget(file);
  const members = new Map<string, SourceFile>();
  for (const member of await readDirectory(file)) {
    if (member.name.endsWith('/')) continue;
    members.set(member.name, {
      name: `${file.name}/${member.name}`,
      size: member.size,
      open: () => unpack(file, member, budget),
    });
  }
  return members;
}

type Budget = (bytes: number, member: Member) => void;

/** Counts the unpacked bytes of an archive. */
function createBudget(file: SourceFile): Budget {
  const max = Math.min(unpackedBytesMax, ratioFreeBytes + file.size * unpackedRatioMax);
  let unpacked = 0;
  return (bytes, member) => {
    unpacked += bytes;
    if (unpacked > max)
      throw new ImportFailure(
        { file: `${file.name}/${member.name}` },
        `unpacks to more than ${Math.round(max / 1024 ** 2)} MiB, which is too much for an archive of its size: unpack it yourself and import the folder.`,
      );
  };
}

const at16 = (view: DataView, at: number): number => view.getUint16(at, true);
const at32 = (view: DataView, at: number): number => view.getUint32(at, true);
const at64 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));
const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const cutOff = (file: SourceFile, byte: number): ImportFailure =>
  new ImportFailure(
    { file: file.name, byte },
    'is a zip archive without its end: it is cut off. Copy or export it again.',
  );

/** The central directory, which stands at the end (APPNOTE 4.3.12), also in the form of zip64. */
async function readDirectory(file: SourceFile): Promise<Member[]> {
  const tailStart = Math.max(0, file.size - 65_557);
  const tail = viewOf(await readBytes(file, tailStart));
  let end = tail.byteLength - 22;
  while (end >= 0 && at32(tail, end) !== 0x06054b50) end -= 1;
  if (end < 0) throw cutOff(file, file.size);
  let [count, bytes, start] = [at16(tail, end + 10), at32(tail, end + 12), at32(tail, end + 16)];
  const locator = end - 20;
  if (locator >= 0 && at32(tail, locator) === 0x07064b50) {
    const wide = at64(tail, locator + 8);
    if (wide + 56 > file.size) throw cutOff(file, wide);
    const record = viewOf(await readBytes(file, wide, wide + 56));
    [count, bytes, start] = [at64(record, 32), at64(record, 40), at64(record, 48)];
  }
  if (start + bytes > file.size) throw cutOff(file, start);
  if (count > membersMax || bytes > directoryBytesMax)
    throw new ImportFailure({ file: file.name }, 'has too many members: unpack it first.');
  return parseDirectory(file, viewOf(await readBytes(file, start, start + bytes)), count);
}

function parseDirectory(file: SourceFile, view: DataView, count: number): Member[] {
  const members: Member[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > view.byteLength || at32(view, at) !== 0x02014b50) throw cutOff(file, at);
    const nameBytes = at16(view, at + 28);
    const extraBytes = at16(view, at + 30);
    const next = at + 46 + nameBytes + extraBytes + at16(view, at + 32);
    if (next > view.byteLength) throw cutOff(file, at);
    const member: Member = {
      name: new TextDecoder().decode(
        new Uint8Array(view.buffer, view.byteOffset + at + 46, nameBytes),
      ),
      isEncrypted: (at16(view, at + 8) & 1) === 1,
      method: at16(view, at + 10),
      checksum: at32(view, at + 16),
      packed: at32(view, at + 20),
      size: at32(view, at + 24),
      offset: at32(view, at + 42),
    };
    widen(member, view, at + 46 + nameBytes, extraBytes);
    members.push(member);
    at = next;
  }
  return members;
}

/** Sizes of 4 GiB and more stand in the extra field of zip64 (APPNOTE 4.5.3). */
function widen(member: Member, view: DataView, start: number, bytes: number): void {
  const wide = 0xffffffff;
  for (let at = start; at + 4 <= start + bytes; at += 4 + at16(view, at + 2)) {
    if (at16(view, at) !== 1) continue;
    const fieldEnd = Math.min(at + 4 + at16(view, at + 2), start + bytes);
    let place = at + 4;
    for (const key of ['size', 'packed', 'offset'] as const) {
      if (member[key] !== wide || place + 8 > fieldEnd) continue;
      member[key] = at64(view, place);
      place += 8;
    }
  }
}

async function* unpack(
  file: SourceFile,
  member: Member,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  const place = { file: `${file.name}/${member.name}` };
  if (member.isEncrypted)
    throw new ImportFailure(place, 'is encrypted: make the archive without a password.');
  if (member.offset + 30 > file.size) throw cutOff(file, member.offset);
  const local = viewOf(await readBytes(file, member.offset, member.offset + 30));
  const start = member.offset + 30 + at16(local, 26) + at16(local, 28);
  if (at32(local, 0) !== 0x04034b50 || start + member.packed > file.size)
    throw cutOff(file, member.offset);
  const packed = file.open(start, start + member.packed);
  let size = 0;
  let checksum = 0xffffffff;
  try {
    for await (const chunk of unpackMethod(member, packed)) {
      budget(chunk.length, member);
      size += chunk.length;
      checksum = addChecksum(checksum, chunk);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ImportFailure) throw error;
    throw new ImportFailure(place, 'cannot be unpacked: it is damaged. Copy it again.', error);
  }
  if (size !== member.size || (checksum ^ -1) >>> 0 !== member.checksum)
    throw new ImportFailure(place, 'is not what its archive says it is: copy the archive again.');
}

function unpackMethod(
  member: Member,
  packed: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  if (member.method === 0) return packed;
  if (member.method === 8) return inflate(packed);
  if (member.method === 93) return unpackZstd(packed);
  throw new ImportFailure(
    { file: member.name },
    `is packed by method ${member.method}, which is not known here: unpack the archive and zip it again.`,
  );
}

async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('deflate-raw' as 'deflate');
  const writer = stream.writable.getWriter();
  async function feed(): Promise<void> {
    for await (const chunk of packed) await writer.write(chunk as Uint8Array<ArrayBuffer>);
    await writer.close();
  }
  const fed = feed();
  // The reader gets the same error.
  fed.catch(() => undefined);
  const reader = stream.readable.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    await fed;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const checksums = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32, as zip has it. */
function addChecksum(checksum: number, bytes: Uint8Array): number {
  let value = checksum;
  for (let at = 0; at < bytes.length; at++)
    value = checksums[(value ^ bytes[at]!) & 0xff]! ^ (value >>> 8);
  return value;
}
