/** Searches one payload piece by piece: true as soon as a piece ends the text. */
export type PieceSearch = (piece: Uint8Array, isLast: boolean) => boolean;

/**
 * Finds a text in JSON as people read it, in any case: escapes count as the characters that they
 * stand for. Returns a function that begins the search of a payload; its pieces may be cut
 * anywhere. A capital letter is Unicode's, without a language: `ß` is `SS`, and `σ` and `ς` are one.
 */
export function createTextMatch(text: string): () => PieceSearch {
  const wanted = text.toUpperCase();
  return () => {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let openEscape = '';
    let end = '';
    return (piece, isLast) => {
      // A payload in one piece needs no decoder.
      if (!isLast) decoder ??= new TextDecoder();
      const decoded = decoder
        ? decoder.decode(piece, { stream: true })
        : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString();
      let json = openEscape + decoded;
      openEscape = isLast ? '' : json.slice(openEscapeAt(json));
      json = json.slice(0, json.length - openEscape.length);
      const searched = end + withoutEscapes(json).toUpperCase();
      if (searched.includes(wanted)) return true;
      end = wanted.length > 1 ? searched.slice(1 - wanted.length) : '';
      return false;
    };
  };
}

/**
 * Finds a text in strings, in any case, as it stands there, or with the escapes of JSON as the
 * characters that they stand for: a string may be plain text or hold JSON.
 */
export function createStringMatch(text: string): (value: string) => boolean {
  const wanted = text.toUpperCase();
  return (value) =>
    value.toUpperCase().includes(wanted) ||
    (value.includes('\\') && withoutEscapes(value).toUpperCase().includes(wanted));
}

/** The characters of the longest escape, `\u0000`. */
const escapeCharactersMax = 6;

/** Where an escape begins that the end of a text cuts; the text's length where none is. */
function openEscapeAt(json: string): number {
  const last = json.lastIndexOf('\\');
  if (last < 0 || json.length - last >= escapeCharactersMax) return json.length;
  let backslashes = 1;
  while (json[last - backslashes] === '\\') backslashes += 1;
  // Each backslash of a pair stands for the other.
  const isEscaped = backslashes % 2 === 0;
  const isWhole = last + 1 < json.length && json[last + 1] !== 'u';
  return isEscaped || isWhole ? json.length : last;
}

function withoutEscapes(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replaceAll(/\\(?:u(.{4})|(.))/g, (_escape, code?: string, character?: string) =>
    code === undefined
      ? (controls[character!] ?? character!)
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const controls: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
