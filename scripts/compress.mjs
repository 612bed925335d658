// Writes a .br and a .gz beside each file of a folder that they make smaller by a tenth, for a server
// that sends them as they are: compressing for each request would let anybody keep a core busy.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Compresses the files of a folder; those of its folders are left as they are. */
export function compressFiles(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name),
  );
  for (const file of files) {
    const path = join(folder, file.name);
    const bytes = readFileSync(path);
    const compressed = { br: brotliCompressSync(bytes), gz: gzipSync(bytes, { level: 9 }) };
    for (const [extension, made] of Object.entries(compressed))
      if (made.length < bytes.length * 0.9) writeFileSync(`${path}.${extension}`, made);
  }
}
