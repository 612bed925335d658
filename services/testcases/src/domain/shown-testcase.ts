import type { Issue } from '@assay/contracts/failure';
import type { JsonText } from '@assay/contracts/payload';

/** A testcase as its testset's current schema and mapping show it. */
export interface ShownTestcase {
  id: string;
  testsetId: string;
  key?: string;
  jsonData: JsonText;
  inputs: JsonText;
  expected: JsonText;
  validationErrors?: Issue[];
}
