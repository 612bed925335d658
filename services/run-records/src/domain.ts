import { createAnnotations } from './domain/annotations.ts';
import type { Parts } from './domain/parts.ts';
import { createRecords } from './domain/records.ts';
import { createRescoring } from './domain/rescoring.ts';
import { createRuns } from './domain/runs.ts';
import { createScores } from './domain/scores.ts';
import { createSummaries } from './domain/summary.ts';
import { createTagging } from './domain/tagging.ts';
import { createTestcaseKnowledge } from './domain/testcase-knowledge.ts';

export type Domain = ReturnType<typeof createDomain>;

/** The rules of runs, records and scores (contract section 2, and of section 3 a run's accounts and summary). */
export function createDomain(parts: Parts) {
  const runs = createRuns(parts);
  const knownTestcases = createTestcaseKnowledge(parts);
  return {
    runs,
    knownTestcases,
    records: createRecords({ ...parts, runs, knownTestcases }),
    scores: createScores({ ...parts, runs }),
    rescoring: createRescoring({ ...parts, runs }),
    summaries: createSummaries({ ...parts, runs }),
    tagging: createTagging({ ...parts, runs }),
    annotations: createAnnotations({ ...parts, runs }),
  };
}
