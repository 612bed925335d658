/** A body that is no request of OTLP. The message says what is wrong with it, for its sender. */
export class OtlpFailure extends Error {
  override name = 'OtlpFailure';
}
