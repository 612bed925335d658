import { visible } from '../../text/format.ts';
import { changeBy, type FilterLanguage, signOf, writtenOf } from './language.ts';
import { parse, printKey, printTerm } from './syntax.ts';

/** One thing that a draft can be completed with. */
export interface Completion<State> {
  /** As it is written. */
  written: string;
  /** What it is, where that says more. */
  says: string;
  /** The filters after it; undefined where a value has to follow the key. */
  state: State | undefined;
}

/** As many as are shown. */
const completionsMax = 12;

/** The word of a draft that is being written: it ends at the caret. */
export function wordAt(draft: string, caret: number): { from: number; word: string } {
  const before = draft.slice(0, caret);
  const { terms } = parse(before, () => true);
  const term = terms.find(({ to }) => to === before.length);
  const from = term?.from ?? before.length - before.match(/"[^"]*$|\S*$/)![0].length;
  return { from, word: before.slice(from) };
}

/**
 * Returns the filters whose key or value has what is being written; those that begin with it come
 * first. A key stands for its values until it is written.
 */
export function completionsOf<State>(
  { kinds }: FilterLanguage<State>,
  { state, word }: { state: State; word: string },
): Completion<State>[] {
  const [term] = parse(word, () => true).terms;
  const typed = (term ? term.value : word.replace(/^"/, '')).toLowerCase();
  const ranked: { rank: number; completion: Completion<State> }[] = [];
  const offer = (names: string[], rank: number, completion: Completion<State>) => {
    const places = names.map((name) => name.toLowerCase().indexOf(typed));
    if (places.some((place) => place >= 0))
      ranked.push({ rank: places.includes(0) ? rank : rank + 1, completion });
  };
  for (const kind of kinds.filter(({ isHidden }) => !isHidden)) {
    const start = `${printKey(kind.key)}${signOf(kind)}`;
    if (term && (term.key.toLowerCase() !== kind.key.toLowerCase() || term.sign !== signOf(kind)))
      continue;
    if (!term) {
      const says = kind.example ? `${kind.name}, such as ${kind.example}` : kind.name;
      offer([kind.key, kind.name], 0, { written: start, says, state: undefined });
    }
    if (!term && typed === '') continue;
    for (const known of kind.values) {
      const change = changeBy(kind, state, known.value);
      if (typeof change === 'string' || kind.valuesIn(state).includes(known.value)) continue;
      const written = writtenOf(known);
      offer([written, known.name ?? ''], term ? 0 : 2, {
        written: visible(printTerm({ key: kind.key, sign: signOf(kind), value: written })),
        says: visible(`${kind.name}: ${known.name ?? known.value}`),
        state: { ...state, ...change },
      });
    }
  }
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, completionsMax)
    .map(({ completion }) => completion);
}
