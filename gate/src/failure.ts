/** What keeps the gate from telling, in one sentence: exit 2. */
export class CannotTell extends Error {
  override name = 'CannotTell';
}
