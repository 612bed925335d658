/** A bar of `cells` characters, filled up to a share 0..1 to an eighth of one. */
export function bar({ share, cells }: { share: number; cells: number }): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * cells * 8);
  const full = '█'.repeat(Math.floor(eighths / 8));
  return `${full}${' ▏▎▍▌▋▊▉'[eighths % 8]!.trim()}`.padEnd(cells, '░');
}
