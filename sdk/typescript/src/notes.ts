/** A sentence that a reader of an evaluation should know. */
export interface Note {
  text: string;
  /** The metric that it is about. */
  metric?: string | undefined;
  /** A score is missing for it: such a note is never left out. */
  isFailure?: boolean;
  /** The result rests on it: it is never left out either. */
  isMain?: boolean;
}

const othersMax = 5;
const metricsNamed = 3;

/** All notes as lines: those on failures, those that the result rests on, and then the others. */
export function noteLines(notes: Note[]): string[] {
  const { kept, others } = orderedLines(notes);
  return [...kept, ...others];
}

/** The lines that are printed: so many of the others as fit. */
export function shownLines(notes: Note[]): string[] {
  const { kept, others } = orderedLines(notes);
  const hidden = others.length - othersMax;
  return [...kept, ...others.slice(0, othersMax), ...(hidden > 0 ? [`(${hidden} more)`] : [])];
}

function orderedLines(notes: Note[]): { kept: string[]; others: string[] } {
  const failures = notes.filter(({ isFailure }) => isFailure);
  const main = notes.filter(({ isFailure, isMain }) => isMain && !isFailure);
  const others = notes.filter(({ isFailure, isMain }) => !isMain && !isFailure);
  return { kept: [...linesOf(failures), ...linesOf(main)], others: linesOf(others) };
}

/** A line for each text, with the metrics that it is about, or how often it was said. */
export function linesOf(notes: Note[]): string[] {
  const groups = new Map<string, Note[]>();
  for (const note of notes) groups.set(note.text, [...(groups.get(note.text) ?? []), note]);
  return [...groups].map(([text, equal]) => {
    const metrics = [...new Set(equal.flatMap(({ metric }) => metric ?? []))];
    if (metrics.length === 0) return equal.length > 1 ? `${text} (${equal.length} times)` : text;
    const more = metrics.length - metricsNamed;
    const named = metrics.slice(0, metricsNamed).map((name) => JSON.stringify(name));
    return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${text}`;
  });
}
