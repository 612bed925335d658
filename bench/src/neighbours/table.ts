interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** The times of the neighbour beside one attack: a run, a page, runs, a record, a score. */
export interface NeighbourRow {
  attack: string;
  cells: { alone: Latency; beside: Latency; errors: number; isReached: boolean }[];
}

const titles = ['beside', 'a run', 'a page', 'runs', 'a new record', 'a score'];

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The lines above those of the attacks, as Markdown. */
export const headOfNeighbours: string = [
  lineOf(titles),
  lineOf(titles.map((_, column) => (column === 0 ? '---' : '---:'))),
].join('\n');

/**
 * The line of one attack: p50 and p99 in ms, alone and then beside it. Bold is what is slower than
 * wanted.
 */
export function lineOfNeighbour({ attack, cells }: NeighbourRow): string {
  const text = ({ p50Ms, p99Ms }: Latency) => `${p50Ms.toFixed(0)} / ${p99Ms.toFixed(0)}`;
  const figures = cells.map(({ alone, beside, errors, isReached }) => {
    const both = `${text(alone)} → ${text(beside)}`;
    const marked = isReached ? both : `**${both}**`;
    return errors > 0 ? `${marked}, ${errors} errors` : marked;
  });
  return lineOf([attack, ...figures]);
}
