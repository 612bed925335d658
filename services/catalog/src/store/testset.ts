import type { FieldMapping } from '@assay/contracts/catalog';

/** A testset as it is kept: the schema as the text that was sent. */
export interface StoredTestset {
  id: string;
  projectId: string;
  name: string;
  description: string;
  schemaText: string;
  schemaHash: string;
  fieldMapping: FieldMapping;
  /** The metadata field that has the tags of a testcase. */
  tagsField?: string | undefined;
  /** Grows with every change of schema, mapping or field of tags. */
  version: number;
  baselineRunId: string | null;
}

/** Testsets of 0.1.0 know nothing of baselines. */
export type TestsetDocument = Omit<StoredTestset, 'id'> & {
  _id: string;
  organizationId: string;
  /** Of a project that is being imported, which nobody sees yet. */
  isArriving?: true;
};
