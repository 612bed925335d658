/** One line of the table at the end. Figures are texts with their units. */
export interface Row {
  question: string;
  measure: string;
  baseline?: string;
  ours: string;
  ratio?: string;
  reach?: string;
  isReached?: boolean;
  /** Requests of either side that did not bring a 2xx. */
  errors?: number;
}

/** Writes a line of progress to stderr. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

export const ratioText = (ratio: number): string => `${ratio.toFixed(2)} ×`;
export const rateText = (perSecond: number): string =>
  `${Math.round(perSecond).toLocaleString('en-US')}/s`;
export const millisecondsText = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
export const microsecondsText = (us: number): string => `${us.toFixed(0)} µs`;
export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
export const mebibytesText = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;

const titles = ['#', 'what', 'baseline', 'ours', 'ratio', 'reach', 'reached', 'errors'];

/** The rows as aligned columns, which are a Markdown table as well. */
export function tableOf(rows: Row[]): string {
  const cells = rows.map((row) => [
    row.question,
    row.measure,
    row.baseline ?? '',
    row.ours,
    row.ratio ?? '',
    row.reach ?? '',
    row.isReached === undefined ? '' : row.isReached ? 'yes' : 'NO',
    row.errors === undefined ? '' : String(row.errors),
  ]);
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]!.length)),
  );
  const toLine = (line: string[]) =>
    `| ${line.map((cell, column) => align(cell, widths[column]!, column)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (isText(column) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [toLine(titles), rule, ...cells.map(toLine)].join('\n');
}

const isText = (column: number): boolean => column < 2;

const align = (cell: string, width: number, column: number): string =>
  isText(column) ? cell.padEnd(width) : cell.padStart(width);
