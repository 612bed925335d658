/** The reason why the gate cannot reach a conclusion, in one sentence: exit 2. */
export class CannotTell extends Error {
  override name = 'CannotTell';
}
