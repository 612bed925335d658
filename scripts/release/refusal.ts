/** A release that cannot be made: the message says how to get there. */
export class Refusal extends Error {
  override name = 'Refusal';
}
