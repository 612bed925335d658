import { escapeSegment } from '@assay/json/pointer';
import { ImportFailure, type Place } from '../failure.ts';
import type { SourceFile } from '../source.ts';
import { type Lose, parseJson } from './json-text.ts';
import { documentCharactersMax, entryCharactersMax, levelsMax } from './limits.ts';
import { readText } from './text.ts';

/** An element of a list of a document, or at the end the document without these lists. */
export type JsonPart =
  | { kind: 'element'; list: string; index: number; value: unknown; place: Place }
  | { kind: 'rest'; value: unknown };

interface Options {
  /**
   * JSON Pointers of the lists that are read element by element, where the document has them: '' for
   * the document itself.
   */
  lists: readonly string[];
  /** JSON Pointers of lists that nobody needs: they are read over, and empty in the rest. */
  skipped?: readonly string[];
  lose: Lose;
}

/**
 * Reads a document of JSON in memory of the size of its largest element, however long its lists
 * are. @throws with the line and the JSON Pointer.
 */
export async function* readJson(
  file: SourceFile,
  { lists, skipped = [], lose }: Options,
): AsyncGenerator<JsonPart> {
  const scan = createListScan({ name: file.name, lists, skipped });
  for await (const chunk of readText(file))
    for (const cut of scan.push(chunk)) yield toElement(cut, lose);
  const rest = scan.end();
  yield { kind: 'rest', value: parseJson(rest, { file: file.name, line: 1 }, lose) };
}

/** Reads a document that has no long list. */
export async function readWholeJson(file: SourceFile, lose: Lose): Promise<unknown> {
  for await (const part of readJson(file, { lists: [], lose }))
    return (part as { value: unknown }).value;
  return undefined;
}

interface ElementText {
  list: string;
  index: number;
  text: string;
  place: Place;
}

const toElement = ({ text, ...cut }: ElementText, lose: Lose): JsonPart => ({
  kind: 'element',
  ...cut,
  value: parseJson(text, cut.place, lose),
});

/** An object or list around the place that is being read. */
interface Level {
  isList: boolean;
  /** The key, or index, of the member that is being read. */
  key: string;
  index: number;
  isBeforeKey: boolean;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * Cuts the elements of the lists out of the text, which is parsed nowhere else: a fault in it shows
 * when its element or the rest is parsed.
 */
export function createListScan({
  name,
  lists,
  skipped = [],
  charactersMax = entryCharactersMax,
}: {
  /** Of the file, for faults. */
  name: string;
  lists: readonly string[];
  skipped?: readonly string[];
  /** Of an element. */
  charactersMax?: number;
}) {
  const levels: Level[] = [];
  /** The list whose elements are being cut, by its level. */
  let list: { pointer: string; level: Level; isSkipped: boolean } | undefined;
  let inner = 0;
  let isString = false;
  let isEscaped = false;
  let keyText: string | undefined;
  let pieces: string[] = [];
  let characters = 0;
  const rest: string[] = [];
  let restCharacters = 0;
  let line = 1;
  let elementLine = 1;

  const fail = (sentence: string, place: Place = {}) =>
    new ImportFailure({ file: name, line, ...place }, sentence);

  const pointerOf = () =>
    levels.map(({ isList, key, index }) => `/${isList ? index : escapeSegment(key)}`).join('');

  function open(isList: boolean): void {
    if (levels.length + inner >= levelsMax)
      throw fail(`has more than ${levelsMax} levels of lists and objects in each other.`);
    const pointer = pointerOf();
    const level: Level = { isList, key: '', index: 0, isBeforeKey: !isList };
    levels.push(level);
    if (!isList) return;
    if (lists.includes(pointer)) list = { pointer, level, isSkipped: false };
    else if (skipped.includes(pointer)) list = { pointer, level, isSkipped: true };
  }

  function keep(text: string): void {
    if (text === '') return;
    if (!list) {
      rest.push(text);
      restCharacters += text.length;
      if (restCharacters > documentCharactersMax)
        throw fail(
          `has more than ${documentCharactersMax / 1024 ** 2} MiB beside its list of entries, which is too much: is this the right format?`,
        );
    } else if (!list.isSkipped) {
      pieces.push(text);
      characters += text.length;
      if (characters > charactersMax)
        throw fail(
          `is one entry of more than ${charactersMax / 1024 ** 2} MiB, which is too long to import.`,
          { at: `${list.pointer}/${list.level.index}` },
        );
    }
  }

  /** The element that ends here; none between the brackets of an empty list. */
  function take(isLast: boolean): ElementText | undefined {
    const { pointer, level, isSkipped } = list!;
    const text = pieces.join('');
    pieces = [];
    characters = 0;
    const index = level.index;
    if (isSkipped || (isLast && index === 0 && text.trim() === '')) return undefined;
    const place = { file: name, line: elementLine, at: `${pointer}/${index}` };
    return { list: pointer, index, text, place };
  }

  /** Moves over a character outside strings; the element that it ends. */
  function step(code: number): 'element' | 'list' | undefined {
    const level = levels.at(-1);
    if (list) {
      if (code === openBracket || code === openBrace) {
        inner += 1;
        if (levels.length + inner > levelsMax)
          throw fail(`has more than ${levelsMax} levels of lists and objects in each other.`, {
            at: `${list.pointer}/${list.level.index}`,
          });
      } else if (inner === 0 && code === comma) return 'element';
      else if (inner === 0 && code === closeBracket) return 'list';
      else if (code === closeBracket || code === closeBrace) inner -= 1;
      return undefined;
    }
    if (code === openBracket || code === openBrace) open(code === openBracket);
    else if (code === closeBracket || code === closeBrace) levels.pop();
    else if (code === comma && level) {
      level.index += 1;
      level.isBeforeKey = !level.isList;
    } else if (code === colon && level) level.isBeforeKey = false;
    return undefined;
  }

  function endString(): void {
    const level = levels.at(-1);
    if (keyText === undefined || !level) return;
    level.key = decodeKey(keyText);
    keyText = undefined;
  }

  return {
    *push(chunk: string): Generator<ElementText> {
      let from = 0;
      let counted = 0;
      let stringFrom = 0;
      let [nextQuote, nextBackslash] = [-1, -1];
      function countLines(to: number): void {
        for (let at = chunk.indexOf('\n', counted); at >= 0 && at < to; ) {
          line += 1;
          at = chunk.indexOf('\n', at + 1);
        }
        counted = to;
      }
      for (let at = 0; at < chunk.length; at++) {
        let code = chunk.charCodeAt(at);
        if (isString) {
          if (!isEscaped) {
            // Most of a document is inside strings.
            if (nextQuote < at) nextQuote = nextIndex(chunk, '"', at);
            if (nextBackslash < at) nextBackslash = nextIndex(chunk, '\\', at);
            at = Math.min(nextQuote, nextBackslash);
            if (at >= chunk.length) break;
            code = chunk.charCodeAt(at);
          }
          if (isEscaped) isEscaped = false;
          else if (code === backslash) isEscaped = true;
          else if (code === quote) {
            isString = false;
            if (keyText !== undefined) keyText += chunk.slice(stringFrom, at);
            endString();
          }
          continue;
        }
        if (code === quote) {
          isString = true;
          if (!list && levels.at(-1)?.isBeforeKey) keyText = '';
          stringFrom = at + 1;
          continue;
        }
        if (isSpace(code)) continue;
        const wasInList = list !== undefined;
        const ended = step(code);
        if (!wasInList && list) {
          // The bracket that opens the list belongs to the rest.
          const opened = list;
          list = undefined;
          keep(chunk.slice(from, at + 1));
          list = opened;
          from = at + 1;
          countLines(at);
          elementLine = line;
        } else if (ended) {
          keep(chunk.slice(from, at));
          const element = take(ended === 'list');
          countLines(at);
          elementLine = line;
          from = ended === 'list' ? at : at + 1;
          if (ended === 'list') {
            list = undefined;
            levels.pop();
          } else list!.level.index += 1;
          if (element) yield element;
        }
      }
      if (isString && keyText !== undefined) keyText += chunk.slice(stringFrom);
      keep(chunk.slice(from));
      countLines(chunk.length);
    },
    /** The element that has begun and not ended. */
    begun: (): string => pieces.join(''),
    end(): string {
      if (levels.length > 0 || isString)
        throw fail('ends in the middle of a value: the file is cut off. Export or copy it again.', {
          at: pointerOf(),
        });
      return rest.join('');
    },
  };
}

/** Where the sign stands next; past the end where it does not. */
function nextIndex(text: string, sign: string, from: number): number {
  const index = text.indexOf(sign, from);
  return index < 0 ? text.length : index;
}

function decodeKey(text: string): string {
  try {
    return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
  } catch {
    return text;
  }
}
