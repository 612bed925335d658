export interface Column {
  title: string;
  align: 'left' | 'right';
}

/**
 * Lines of a table whose columns are as wide as their widest cell, two spaces apart; every cell
 * takes a column a character.
 */
export function table({ columns, rows }: { columns: Column[]; rows: string[][] }): string[] {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]!.length)),
  );
  return lines.map((cells) =>
    cells
      .map((cell, column) => pad(cell, { width: widths[column]!, align: columns[column]!.align }))
      .join('  ')
      .trimEnd(),
  );
}

const pad = (cell: string, { width, align }: { width: number; align: Column['align'] }): string =>
  align === 'left' ? cell.padEnd(width) : cell.padStart(width);
