import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './imports.ts';

/** Where somebody who knows the field looks first, and what has to be declared there. */
const places: [question: string, path: string, declared: string][] = [
  ['Who may call?', 'gateway/src/keys.ts', 'createKeys'],
  ['How many requests may an organization send?', 'gateway/src/limits.ts', 'createLimits'],
  ['Where does a path lead?', 'gateway/src/routing.ts', 'routesOf'],
  ['How large may a body be?', 'gateway/src/body.ts', 'createBodies'],
  [
    'What does a repeat of an Idempotency-Key get?',
    'shared/runtime/http/idempotency.ts',
    'createIdempotency',
  ],
  ['How are pages cut?', 'shared/runtime/http/cursor.ts', 'openCursor'],
  ['What is signed between services?', 'shared/runtime/signature.ts', 'sealIdentity'],
  ['How is CSV cut into records?', 'services/testcases/src/domain/csv.ts', 'createCsvSplitter'],
  ['How is a file of another tool read?', 'shared/import/formats.ts', 'readImport'],
  ['How does an import become requests?', 'shared/import/sending/send.ts', 'sendImport'],
  ['How is a testset imported?', 'services/testcases/src/domain/import.ts', 'importTestcases'],
  ['How is a testcase checked?', 'engines/json-schema/schema.ts', 'createSchemaChecker'],
  ['What does pausing a run do?', 'services/run-records/src/domain/runs/pause.ts', 'createPause'],
  ['When is a budget spent?', 'services/run-records/src/domain/runs/budget.ts', 'createBudget'],
  ['Which scores failed?', 'services/run-records/src/domain/runs/failures.ts', 'createFailures'],
  ['How is a run deleted?', 'services/run-records/src/domain/runs/deletion.ts', 'createDeletion'],
  [
    'Who is assigned to a record?',
    'services/run-records/src/domain/records/assignees.ts',
    'createAssignees',
  ],
  ['How do records come in bulk?', 'services/run-records/src/domain/records/bulk.ts', 'createBulk'],
  [
    'Who reviews what?',
    'services/run-records/src/domain/review/review-queue.ts',
    'createReviewQueue',
  ],
  [
    'Who holds which record in review?',
    'services/run-records/src/domain/review/leases.ts',
    'createReviewLeases',
  ],
  ['When is a run completed?', 'services/run-records/src/domain/accounts/status.ts', 'statusOf'],
  ['What does a model cost?', 'services/scoring/src/judges/prices.ts', 'createPrices'],
  [
    'When is a judge asked again?',
    'services/scoring/src/judges/retrying-call.ts',
    'createRetryingCall',
  ],
  ['What does a ready-made judge say?', 'engines/judge-templates/catalogue.ts', 'catalogue'],
  ['How is a metric previewed?', 'services/scoring/src/domain/preview.ts', 'createPreview'],
  ["What is a run's summary?", 'services/results/src/domain/summary.ts', 'createSummaries'],
  ['When is a candidate better?', 'services/results/src/domain/comparison/verdict.ts', 'decide'],
  [
    'How far does a judge agree with people?',
    'services/results/src/domain/reliability.ts',
    'createReliability',
  ],
  ['How is a confidence interval made?', 'engines/statistics/bootstrap.ts', 'bootstrapMean'],
];

test.each(places)('%s %s', (_question, path, declared) => {
  expect(readFileSync(join(root, path), 'utf8')).toMatch(
    new RegExp(`^export (async )?(function|const|class|interface) ${declared}`, 'm'),
  );
});
