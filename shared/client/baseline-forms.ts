import { isAlike, likeness } from './named.ts';

/** The words that mean a baseline whole, and those that are followed by a name. */
const words = ['production', 'baseline'];
const prefixes = ['branch', 'latest'];

/**
 * From this likeness on, a name is taken for a slip in a word. Stricter than for the names of runs,
 * since "option" and "attention" are fine names of a first run.
 */
const slipMin = 0.5;

/**
 * The ways to name a baseline that a name is near to, such as "production" for "Prodution" and
 * "branch:main" for "brnach:main". No run has such a name: it is a slip, and means no first run.
 */
export function nearForms(wanted: string): string[] {
  const text = wanted.trim().toLowerCase();
  return [...words.filter((word) => isSlipOf(word, text)), ...nearPrefixes(wanted.trim(), text)];
}

const isSlipOf = (word: string, text: string): boolean =>
  likeness(word, text) >= slipMin || isShortFor(word, text);

/** As "prd" is for "production". */
function isShortFor(word: string, text: string): boolean {
  if (text.length < 3 || !text.startsWith(word.slice(0, 2))) return false;
  let from = 0;
  return Array.from(text).every((letter) => {
    from = word.indexOf(letter, from) + 1;
    return from > 0;
  });
}

function nearPrefixes(wanted: string, text: string): string[] {
  const [, before, after] = /^([^:：]+?)\s*[:：]\s*(.*)$/s.exec(wanted) ?? [];
  if (before !== undefined)
    return prefixes
      .filter((prefix) => isAlike(prefix, before.toLowerCase()))
      .map((prefix) => formOf(prefix, after!));
  const [, prefix, name] = /^(branch|latest)[\s/=]+(.*)$/is.exec(wanted) ?? [];
  if (prefix !== undefined) return [formOf(prefix.toLowerCase(), name!)];
  return prefixes
    .filter((each) => each[0] === text[0] && likeness(each, text) >= slipMin)
    .map((each) => formOf(each, ''));
}

const formOf = (prefix: string, name: string): string => `${prefix}:${name === '' ? 'NAME' : name}`;
