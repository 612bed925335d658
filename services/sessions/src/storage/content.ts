/**
 * Where content is: the same bytes are kept once in an organization. Both are of our own making,
 * never a client's names.
 */
export interface ContentAddress {
  organizationId: string;
  sha256: string;
}

/** An upload as it was declared. */
export interface Upload extends ContentAddress {
  attachmentId: string;
  sizeBytes: number;
}

/** A download, with the values of its reply headers. */
export interface Download extends ContentAddress {
  attachmentId: string;
  /** Ready for the headers `content-type` and `content-disposition`. */
  contentType: string;
  disposition: string;
}

/** The measured size and hash of an upload. */
export interface UploadMeasure {
  sizeBytes: number;
  /** Null where the size alone showed that it is not as declared. */
  sha256: string | null;
}

/** Bytes that this service received and that are nowhere to be seen yet. */
export interface TemporaryContent {
  sizeBytes: number;
  sha256: string;
  /** Puts them at the address of their SHA-256, durably. */
  keep(): Promise<void>;
  /** Removes the bytes unless they were kept. */
  discard(): Promise<void>;
}

/** The bytes of attachments. A storage that does not answer, or is full, is SERVICE_UNAVAILABLE. */
export interface Storage {
  /** Where a client sends the bytes of an upload. */
  uploadUrl(upload: Upload, expiresAt: Date): Promise<string>;
  downloadUrl(download: Download, expiresAt: Date): Promise<string>;
  /**
   * Takes in the bytes that a client sent past this service. When they are as declared they are at
   * their address after it. Undefined: there are none.
   */
  collect(upload: Upload): Promise<UploadMeasure | undefined>;
  /**
   * Removes the upload that `collect` reads, and leaves the content at its address. Do not call it
   * right after a commit: another commit may still be reading the upload.
   */
  forgetUpload(upload: Upload): Promise<void>;
  remove(address: ContentAddress): Promise<void>;
  /** What there is of an organization. */
  count(organizationId: string): Promise<number>;
  /** Removes all that there is of an organization. */
  erase(organizationId: string): Promise<void>;
  /** Removes uploads that nobody finished and that were last written before `before`. */
  removeAbandoned(before: Date): Promise<void>;
  /** Whether clients send and fetch bytes through this service, in place of past it. */
  isThrough: boolean;
  /** Reads at most `sizeBytes` bytes. @throws VALIDATION_ERROR as soon as there are more. */
  receive(
    stream: AsyncIterable<Uint8Array>,
    organizationId: string,
    sizeBytes: number,
  ): Promise<TemporaryContent>;
  /** The bytes at an address; undefined when there are none. */
  read(address: ContentAddress): Promise<AsyncIterable<Uint8Array> | undefined>;
}
