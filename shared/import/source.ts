import { ImportFailure } from './failure.ts';

/** A file that can be read more than once: each reader goes over its source twice. */
export interface SourceFile {
  /** Its path from the top of the source, with `/`. */
  name: string;
  size: number;
  /** Its bytes from `start` up to `end`, whole when both are left out. */
  open(start?: number, end?: number): AsyncIterable<Uint8Array>;
}

/** One file, or the files of a folder. */
export interface Source {
  /** Of the file or folder, as its user knows it. */
  name: string;
  files: readonly SourceFile[];
}

/** A source of one file whose bytes are there. */
export const sourceOf = (...files: SourceFile[]): Source => ({
  name: files[0]?.name ?? '',
  files,
});

/** A file whose bytes are there, whole. */
export function fileOf(name: string, content: Uint8Array | string): SourceFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    name,
    size: bytes.length,
    async *open(start = 0, end = bytes.length) {
      const step = 64 * 1024;
      for (let at = start; at < end; at += step) yield bytes.subarray(at, Math.min(at + step, end));
    },
  };
}

/** A file of a browser's file input, or of Node's `fs.openAsBlob`. */
export const fileOfBlob = (name: string, blob: Blob): SourceFile => ({
  name,
  size: blob.size,
  async *open(start = 0, end = blob.size) {
    const step = 1024 * 1024;
    for (let at = start; at < end; at += step)
      yield new Uint8Array(await blob.slice(at, Math.min(at + step, end)).arrayBuffer());
  },
});

/** The bytes of a file from `start` up to `end`. @throws when it has fewer. */
export async function readBytes(file: SourceFile, start = 0, end = file.size): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let at = 0;
  for await (const chunk of file.open(start, end)) {
    if (at + chunk.length > bytes.length) break;
    bytes.set(chunk, at);
    at += chunk.length;
  }
  if (at !== bytes.length)
    throw new ImportFailure(
      { file: file.name, byte: start + at },
      'ends too early: copy it again.',
    );
  return bytes;
}

/** Bytes from which a format is told. */
export const headBytes = 64 * 1024;

export const readHead = (file: SourceFile): Promise<Uint8Array> =>
  readBytes(file, 0, Math.min(file.size, headBytes));

/** The name of a path without its folders. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The name of a file without its folders and its ending. */
export const stemOf = (path: string): string => baseName(path).replace(/\.[^.]+$/, '');
