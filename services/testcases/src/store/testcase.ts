export interface TestcaseDocument {
  _id: string;
  organizationId: string;
  /** A testcase that was deleted has none, so that no list and no key finds it. */
  testsetId: string;
  key?: string;
  jsonData: Buffer;
  /** Grows with each annotation that comes, so that the deletion of the testcase conflicts with it. */
  annotationWrites?: number;
  /** How often it was changed; left out where it never was. */
  changes?: number;
  /** Since when it has this data; left out where it has it from the beginning. */
  since?: Date;
}

/** A testcase that was deleted. Its last data stays in its place, so that no deletion moves it. */
export interface DeletedTestcaseDocument {
  _id: string;
  organizationId: string;
  jsonData: Buffer;
  changes?: number;
  since?: Date;
  deleted: Deletion;
}

interface Deletion extends Change {
  testsetId: string;
  key?: string;
}

/** Who changes testcases, and when. */
export interface Change {
  userId: string;
  at: Date;
}

/** Finds only testcases that were not deleted. */
export const isLive = { testsetId: { $exists: true } } as const;

/** The number of the version that a testcase has, or had last. */
export const currentVersion = ({ changes = 0 }: { changes?: number | undefined }): number =>
  changes + 1;

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
