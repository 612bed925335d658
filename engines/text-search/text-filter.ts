/** Code points from here on have one case. */
const caselessFrom = 0x20000;

/** Characters as their capitals, which a search compares. */
interface Capitals {
  /** The characters that have this one capital, itself included; characters without case are left out. */
  sharing: Map<string, string[]>;
  /** Those that a capital does not tell: theirs has several characters, or is an ASCII letter's. */
  odd: string[];
}

function readCapitals(): Capitals {
  const sharing = new Map<string, string[]>();
  const odd: string[] = [];
  for (let code = 0; code < caselessFrom; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const capital = character.toUpperCase();
    if (capital === character) continue;
    const isAscii = code < 0x80;
    if ([...capital].length > 1 || (!isAscii && capital < '\x80')) odd.push(character);
    else sharing.set(capital, [...(sharing.get(capital) ?? [capital]), character]);
  }
  return { sharing, odd };
}

let capitals: Capitals | undefined;

/** The control characters that JSON writes as a backslash and a letter. */
const letters: Record<string, string> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' };

/**
 * Tells fast which JSON may have a text as `createTextMatch` finds it: false only where that finds
 * none. The bytes are looked at as they are, with others before and behind them. Undefined where a
 * text cannot be told by bytes.
 */
export function createTextFilter(text: string): ((bytes: Uint8Array) => boolean) | undefined {
  // U+FFFD stands for bytes that are no text.
  if (!text.isWellFormed() || text.includes('\ufffd')) return undefined;
  capitals ??= readCapitals();
  const { sharing, odd } = capitals;
  const wanted = new RegExp([...text.toUpperCase()].map((one) => patternOf(one, sharing)).join(''));
  // Apart from each other, since each alone is several times as fast as one of all three.
  const oddCharacters = new RegExp(odd.map(bytesOf).join('|'));
  const oddEscapes = new RegExp(`\\\\u(?:00[0-7]|${odd.flatMap(digitsOf).join('|')})`);
  return (bytes) => {
    const seen = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    return wanted.test(seen) || oddCharacters.test(seen) || oddEscapes.test(seen);
  };
}

/** The bytes by which a capital may be there, each as a character. */
function patternOf(capital: string, sharing: Map<string, string[]>): string {
  const all = sharing.get(capital) ?? [capital];
  if (capital >= '\x80')
    return `(?:${all.flatMap((one) => [bytesOf(one), escapesOf(one)]).join('|')})`;
  if (letters[capital]) return `(?:${literal(capital)}|\\\\${letters[capital]})`;
  if ('"/\\'.includes(capital)) return `\\\\?${literal(capital)}`;
  return all.length === 1 ? literal(capital) : `[${all.map(literal).join('')}]`;
}

const bytesOf = (character: string): string => literal(Buffer.from(character).toString('latin1'));

/** A character as one or two escapes with digits. */
const escapesOf = (character: string): string =>
  digitsOf(character)
    .map((digits) => `\\\\u${digits}`)
    .join('');

const digitsOf = (character: string): string[] =>
  character
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0').replace(/[a-f]/g, inAnyCase));

const inAnyCase = (digit: string): string => `[${digit}${digit.toUpperCase()}]`;

const literal = (characters: string): string =>
  characters.replace(
    /[^A-Za-z0-9]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
