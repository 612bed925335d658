/** The message of anything thrown: it may be no error, and may not even be written. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'an error that cannot be written';
  }
}
