const shownMax = 80;

/**
 * A text as a sentence quotes it: with its escapes, and cut after 80 characters (never within one).
 */
export function quote(text: string): string {
  const shown = Array.from(text.slice(0, 2 * shownMax + 2));
  return shown.length > shownMax
    ? `${JSON.stringify(shown.slice(0, shownMax).join(''))}…`
    : JSON.stringify(text);
}

/** A share as a sentence shows it: at most three decimals. */
export const rounded = (share: number): string => String(Math.round(share * 1000) / 1000);
