/** A row as text with its line break, which is read as these cells. */
export function writeRow(cells: (string | undefined)[], delimiter: string): string {
  const written = cells.map((cell) => {
    if (cell === undefined) return '';
    const needsQuotes = cell === '' || /["\r\n]/.test(cell) || cell.includes(delimiter);
    return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${written.join(delimiter)}\n`;
}
