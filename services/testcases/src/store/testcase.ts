export interface TestcaseDocument {
  _id: string;
  organizationId: string;
  testsetId: string;
  key?: string;
  jsonData: Buffer;
  /** Grows with each annotation that comes, so that the deletion of the testcase conflicts with it. */
  annotationWrites?: number;
}

/** A testcase as it is kept: the data as the bytes that were sent. */
export interface StoredTestcase {
  id: string;
  testsetId: string;
  /** The client's own name of it, unique in its testset. */
  key?: string | undefined;
  jsonData: Uint8Array;
}

export const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const toDocument = (
  organizationId: string,
  { id, testsetId, key, jsonData }: StoredTestcase,
): TestcaseDocument => ({
  _id: id,
  organizationId,
  testsetId,
  ...(key === undefined ? {} : { key }),
  jsonData: toBuffer(jsonData),
});

export const toTestcase = (document: TestcaseDocument | null): StoredTestcase | undefined =>
  document
    ? {
        id: document._id,
        testsetId: document.testsetId,
        key: document.key,
        jsonData: document.jsonData,
      }
    : undefined;
