import type { Place } from '../failure.ts';
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
