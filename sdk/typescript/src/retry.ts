/**
 * Throw it in a system where a provider's limit stood in the way: the call is made again. `after` is
 * in seconds; without it the pauses grow from one second on.
 */
export class Retry extends Error {
  override name = 'Retry';
  /** The status that the record keeps when no try is left: a provider's limit. */
  readonly status = 429;
  readonly after: number | undefined;

  constructor(message = "a provider's limit", { after }: { after?: number } = {}) {
    super(message);
    this.after = after;
  }
}
