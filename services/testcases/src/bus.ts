import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { testcases } from '@assay/contracts/testcases';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { Domain } from './domain.ts';

export const createAnswers = (domain: Domain): Answers<typeof testcases> => ({
  mentions: (identity, wanted) => domain.annotations.mentions(identity, wanted),
  moveAuthor: (identity, move) => domain.testcasePart.moveAuthor(identity, move),
  count: (identity, { testsetId }) => domain.countTestcases(identity, testsetId),
  part: (identity, { testsetId, ...part }) => domain.part(identity, testsetId, part),
  existing: (identity, { testsetId, ids }) => domain.existingTestcases(identity, testsetId, ids),
  metadataAt: (identity, { testsetId, ids, pointer }) =>
    domain.metadataAt(identity, testsetId, { ids, pointer }),
  copy: (identity, { fromTestsetId, toTestsetId }) =>
    domain.copyTestcases(identity, fromTestsetId, toTestsetId),
});

/**
 * A deleted project is announced testset by testset, so that its own event tells nothing new here.
 */
export const createSubscriptions = (domain: Domain): Subscription[] => [
  subscription(catalog, 'testsetDeleted', (identity, { testsetId }) =>
    domain.forgetTestset(identity, testsetId),
  ),
];
