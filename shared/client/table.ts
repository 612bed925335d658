export interface Column {
  title: string;
  align: 'left' | 'right';
  /** Its cells may be cut where the table is too wide. */
  canShrink?: boolean;
}

/**
 * Lines of a table whose columns are as wide as their widest cell, two spaces apart; every cell
 * takes a column a character. Where they are wider than `widthMax`, columns that can shrink are cut,
 * the widest first.
 */
export function table({
  columns,
  rows,
  widthMax = Infinity,
}: {
  columns: Column[];
  rows: string[][];
  widthMax?: number;
}): string[] {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, cells[column]!.length), 0),
  );
  shrink(widths, columns, widthMax);
  return lines.map((cells) =>
    cells
      .map((cell, column) =>
        pad(cut(cell, widths[column]!), { width: widths[column]!, align: columns[column]!.align }),
      )
      .join('  ')
      .trimEnd(),
  );
}

const shrunkMin = 8;

function shrink(widths: number[], columns: Column[], widthMax: number): void {
  const total = () => widths.reduce((sum, width) => sum + width + 2, -2);
  for (;;) {
    const [widest] = columns
      .flatMap(({ canShrink }, column) => (canShrink ? [column] : []))
      .toSorted((one, other) => widths[other]! - widths[one]!);
    if (total() <= widthMax || widest === undefined || widths[widest]! <= shrunkMin) return;
    widths[widest]! -= 1;
  }
}

/** A text of so many characters at most, with an ellipsis where it was longer. */
export const cut = (text: string, charactersMax: number): string =>
  text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text;

const pad = (cell: string, { width, align }: { width: number; align: Column['align'] }): string =>
  align === 'left' ? cell.padEnd(width) : cell.padStart(width);
