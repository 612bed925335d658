import { escapeFormula } from '@assay/contracts/spreadsheet-text';

/** Lines of a paragraph, of so many characters at most where its words allow. */
export function wrap(text: string, charactersMax: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > charactersMax) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** A cell of CSV (RFC 4180); one that a spreadsheet would take for a formula gets an apostrophe. */
export function csvCell(text: string): string {
  const harmless = /^-?[\d.]+$/.test(text) ? text : escapeFormula(text);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
