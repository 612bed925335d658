/** A reply as it leaves: status, headers, body. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: string | Buffer | AsyncIterable<Uint8Array | string> | undefined;
}
