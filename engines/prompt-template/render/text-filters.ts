import { isNumber } from '@assay/json/value';
import { positionsOf } from './compare.ts';
import { type Filter, flag, integer, textOf } from './filter.ts';
import { formatCount, type RenderState } from './render-state.ts';
import { charactersOf, itemsOf, type Value } from './values.ts';

/** Filters that read their operand as text, as it would be printed. */
export const textFilters: Record<string, Filter> = {
  capitalize: mapText((text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()),
  center: (value, given, state) => {
    const text = textOf(value, state);
    const spaces = Math.max(0, integer(given, 0, 'width', 80, state) - text.length);
    state.characters(text.length + spaces);
    return ' '.repeat(Math.floor(spaces / 2)) + text + ' '.repeat(Math.ceil(spaces / 2));
  },
  escape: mapText((text) => text.replace(/[&<>"']/g, (character) => entities[character]!)),
  indent: (value, given, state) => {
    const lines = textOf(value, state).split('\n');
    const prefix = prefixOf(given.take(0, 'width') ?? 4, state);
    const [first, blank] = [flag(given, 1, 'first'), flag(given, 2, 'blank')];
    state.step(lines.length);
    state.characters(lines.length * prefix.length);
    return lines
      .map((line, index) => ((index > 0 || first) && (line !== '' || blank) ? prefix + line : line))
      .join('\n');
  },
  lower: mapText((text) => text.toLowerCase()),
  replace: (value, given, state) => {
    const text = textOf(value, state);
    const [from, to] = [textOf(given.take(0, 'old'), state), textOf(given.take(1, 'new'), state)];
    const countMax = integer(given, 2, 'count', -1, state);
    if (from === '') return state.fail('`replace` needs a text to look for, not an empty one.');
    if (countMax === 0) return text;
    return replaceText({ text, from, to, countMax: countMax < 0 ? undefined : countMax, state });
  },
  string: mapText((text) => text),
  title: mapText((text) =>
    text
      .toLowerCase()
      .replace(/(^|[-\s({[<])([^-\s({[<])/g, (_, before, letter) => before + letter.toUpperCase()),
  ),
  trim: (value, given, state) => strip(textOf(value, state), given.take(0, 'chars'), state),
  truncate: (value, given, state) => {
    const text = textOf(value, state);
    const lengthMax = integer(given, 0, 'length', 255, state);
    const end = textOf(given.take(2, 'end') ?? '...', state);
    const leeway = integer(given, 3, 'leeway', 5, state);
    // No more is read than is kept: a character is at most two units.
    const start = charactersOf(text.slice(0, Math.max(0, 2 * (lengthMax + leeway) + 2)), state);
    if (start.length <= lengthMax + leeway) return text;
    const kept = start.slice(0, Math.max(0, lengthMax - end.length)).join('');
    const space = kept.lastIndexOf(' ');
    return (flag(given, 1, 'killwords') || space < 0 ? kept : kept.slice(0, space)) + end;
  },
  upper: mapText((text) => text.toUpperCase()),
  urlencode: mapText((text) => encodeURIComponent(text.toWellFormed())),
  wordcount: (value, _, state) => {
    const text = textOf(value, state);
    state.characters(text.length);
    let words = 0;
    for (const _ of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
      state.step();
      words++;
    }
    return words;
  },
};

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** A letter can become several, and each of them is handled by itself. */
const growth = 3;

function mapText(map: (text: string) => string): Filter {
  return (value, _, state) => {
    const text = textOf(value, state);
    state.characters(text.length * growth);
    return map(text);
  };
}

function prefixOf(width: Value, state: RenderState): string {
  if (typeof width === 'string') return width;
  if (!isNumber(width)) return state.fail('`indent` needs a number of spaces, or a text.');
  if (Number(width) > state.limits.promptCharactersMax)
    return state.fail(
      `\`indent\` can make at most ${formatCount(state.limits.promptCharactersMax)} spaces.`,
    );
  return ' '.repeat(Math.max(0, Number(width)));
}

export function replaceText({
  text,
  from,
  to,
  countMax,
  state,
}: {
  text: string;
  from: string;
  to: string;
  countMax?: number;
  state: RenderState;
}): string {
  const positions = positionsOf({ wanted: from, text, countMax, state });
  state.characters(text.length + positions.length * to.length);
  const pieces: string[] = [];
  let rest = 0;
  for (const at of positions) {
    pieces.push(text.slice(rest, at), to);
    rest = at + from.length;
  }
  return pieces.join('') + text.slice(rest);
}

/** Without the characters at the ends that are spaces, or that are among those given. */
export function strip(
  text: string,
  characters: Value,
  state: RenderState,
  { start = true, end = true } = {},
): string {
  state.characters(text.length);
  if (characters === undefined || characters === null) {
    const stripped = start ? text.trimStart() : text;
    return end ? stripped.trimEnd() : stripped;
  }
  const unwanted = new Set(itemsOf(textOf(characters, state), state));
  let from = 0;
  let to = text.length;
  while (start && from < to && unwanted.has(text[from])) from++;
  while (end && to > from && unwanted.has(text[to - 1])) to--;
  return text.slice(from, to);
}
