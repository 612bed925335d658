/** Where in a text an offset is: lines and columns from 1, columns in characters. */
export function placeOf(source: string, at: number): { line: number; column: number } {
  const lines = source.slice(0, at).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 };
}
