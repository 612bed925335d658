import { ImportFailure, type Place } from '../failure.ts';
import type { ImportOptions, ScoreFacts } from '../item.ts';
import type { Lose } from '../reading/json-text.ts';

/** The score of a word, if the user said whether it passes. */
export function categoryValue(
  score: Pick<ScoreFacts, 'name' | 'reasoning' | 'isByPeople'>,
  word: string,
  { categories = {} }: ImportOptions,
  place: Place,
  lose: Lose,
): ScoreFacts[] {
  const passing = Object.hasOwn(categories, score.name) ? categories[score.name]! : {};
  if (Object.hasOwn(passing, word)) return [{ ...score, rule: 'share', value: passing[word]! }];
  lose(
    place,
    `The scores of ${JSON.stringify(score.name)} are words, such as ${JSON.stringify(word)}: say which of them pass.`,
  );
  return [];
}

/**
 * Reads `tone=good,ok:bad`: the words that pass, and those that do not.
 * @throws ImportFailure
 */
export function readCategories(texts: string[]): Record<string, Record<string, boolean>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, metric, passing, failing] = /^(.+?)=([^:]+)(?::(.*))?$/s.exec(text) ?? [];
      if (metric === undefined || passing === undefined)
        throw new ImportFailure(
          {},
          `"${text}" names no words: write METRIC=PASSING,WORDS:FAILING,WORDS.`,
        );
      const words = (list: string, passes: boolean) =>
        list
          .split(',')
          .filter((word) => word !== '')
          .map((word) => [word, passes] as const);
      return [
        metric,
        Object.fromEntries([...words(passing, true), ...words(failing ?? '', false)]),
      ];
    }),
  );
}
