interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** What the neighbour's requests took beside one attack: a run, a page, runs, a record, a score. */
export interface NeighbourRow {
  attack: string;
  cells: { alone: Latency; beside: Latency; errors: number; isReached: boolean }[];
}

const titles = ['beside', 'a run', 'a page', 'runs', 'a new record', 'a score'];

/**
 * One line for each attack, as Markdown: p50 and p99 in ms, alone and then beside it. Bold is what
 * is slower than wanted.
 */
export function tableOfNeighbours(rows: readonly NeighbourRow[]): string {
  const text = ({ p50Ms, p99Ms }: Latency) => `${p50Ms.toFixed(0)} / ${p99Ms.toFixed(0)}`;
  const lines = rows.map(({ attack, cells }) => [
    attack,
    ...cells.map(({ alone, beside, errors, isReached }) => {
      const figures = `${text(alone)} → ${text(beside)}`;
      const marked = isReached ? figures : `**${figures}**`;
      return errors > 0 ? `${marked}, ${errors} errors` : marked;
    }),
  ]);
  const rule = titles.map((_, column) => (column === 0 ? '---' : '---:'));
  return [titles, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
