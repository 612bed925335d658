/** A file as the client declares it. */
export interface Declaration {
  sha256: string;
  sizeBytes: number;
  contentType: string;
  filename: string | null;
  /** JSON text, as it was sent. */
  metadata: string | null;
}
