import { correctionHead, writeCorrection } from '../../../files/entries.ts';
import type { FileFormat } from '../../../files/format.ts';
import type { Outcome } from './transfer.ts';

/** Problems that are shown; all are in the file to correct. */
const shownMax = 100;
/** Text that is kept before the browser gets it as a blob, which it can keep on its disk. */
const blobCharacters = 1024 * 1024;

type Wrong = Exclude<Outcome['kind'], 'valid'>;

/** What the entries of an import by keys do. */
export interface Changes {
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
}

/** The counts of a check or an import, and the first problems. */
export interface Findings {
  valid: number;
  invalid: number;
  broken: number;
  changes: Changes;
  /** The first entries that are not valid. */
  problems: { number: number; problem: string }[];
  /** Numbers of the entries that break the schema. */
  invalidNumbers: Set<number>;
}

export const nothingFound = (): Findings => ({
  valid: 0,
  invalid: 0,
  broken: 0,
  changes: { created: 0, updated: 0, unchanged: 0, deleted: 0 },
  problems: [],
  invalidNumbers: new Set(),
});

/** Adds the outcomes of some entries. */
export function addOutcomes(findings: Findings, outcomes: Outcome[]): Findings {
  const { problems, invalidNumbers } = findings;
  const counts = { valid: 0, invalid: 0, broken: 0 };
  const wrong = outcomes.filter(({ kind }) => kind !== 'valid');
  const changes = { ...findings.changes };
  for (const { kind, outcome } of outcomes) {
    counts[kind] += 1;
    if (outcome) changes[outcome] += 1;
  }
  for (const { kind, entry } of wrong) if (kind === 'invalid') invalidNumbers.add(entry.number);
  return {
    valid: findings.valid + counts.valid,
    invalid: findings.invalid + counts.invalid,
    broken: findings.broken + counts.broken,
    changes,
    problems: [
      ...problems,
      ...wrong
        .slice(0, shownMax - problems.length)
        .map(({ entry, problem }) => ({ number: entry.number, problem })),
    ],
    invalidNumbers,
  };
}

/** Entries to correct, as a file in the form in which they came. */
export function createCorrections(format: FileFormat) {
  const parts: Record<Wrong, { blobs: Blob[]; text: string }> = {
    invalid: { blobs: [], text: '' },
    broken: { blobs: [], text: '' },
  };
  let head = '';
  return {
    add(outcomes: Outcome[], header: string[]): void {
      head = correctionHead(format, header);
      for (const { entry, kind, problem: error } of outcomes) {
        if (kind === 'valid') continue;
        const part = parts[kind];
        part.text += writeCorrection(entry, { format, header, error });
        if (part.text.length < blobCharacters) continue;
        part.blobs.push(new Blob([part.text]));
        part.text = '';
      }
    },
    /** The entries of these kinds, in the order of the kinds. */
    file: (kinds: Wrong[]): Blob =>
      new Blob([head, ...kinds.flatMap((kind) => [...parts[kind].blobs, parts[kind].text])]),
  };
}

/** The lines of one request, which the browser can keep on its disk. */
export function createBody() {
  const blobs: Blob[] = [];
  let text = '';
  return {
    add(line: string): void {
      text += `${line}\n`;
      if (text.length < blobCharacters) return;
      blobs.push(new Blob([text]));
      text = '';
    },
    blob: () => new Blob([...blobs, text]),
  };
}

export type Corrections = ReturnType<typeof createCorrections>;
