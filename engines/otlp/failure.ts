/** A body that is no request of OTLP. The message tells the fault to its sender. */
export class OtlpFailure extends Error {
  override name = 'OtlpFailure';
}
