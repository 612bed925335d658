/** A media type with parameters, in characters that a header can carry (RFC 9110, 8.3.1). */
const mediaType =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/**
 * The `content-type` of a download: the declared type, or plain bytes if a header cannot carry it.
 */
export const contentTypeHeader = (declared: string): string =>
  mediaType.test(declared) ? declared : 'application/octet-stream';

/** Characters that are not seen, or hide others: controls, line ends and directions of Unicode. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The `content-disposition` of a download (RFC 6266): always saved, never shown; the name in ASCII
 * and, percent-encoded, in full. Of a path it is the last part, so that no client that saves it
 * leaves its folder.
 */
export function dispositionHeader({
  filename,
  filePath,
}: {
  filename: string | null;
  filePath: string;
}): string {
  const name = safeName(filename ?? filePath);
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%/]/g, '_');
  const full = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}

function safeName(path: string): string {
  const name = lastPart(path).replaceAll(unseen, '_');
  if (device.test(name)) return `_${name}`;
  return /^\.+$/.test(name) ? '_' : name;
}

const lastPart = (path: string): string =>
  path.split(/[/\\]/).findLast((part) => part !== '') ?? 'attachment';
