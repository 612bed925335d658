import type { Tool } from './tool.ts';
import { compareRuns } from './tools/comparisons.ts';
import { explainFailures } from './tools/failures.ts';
import { find } from './tools/find.ts';
import { metricReliability, previewMetric, saveMetric } from './tools/metrics.ts';
import { overview } from './tools/overview.ts';
import { getRecord, listRecords } from './tools/records.ts';
import { runStatus, startRescore } from './tools/runs.ts';
import { annotateRecord, scoreRecord } from './tools/scores.ts';
import { createTestcases } from './tools/testcases.ts';

/** All tools, those that only read first. Nothing here deletes, or touches keys and members. */
export const tools: Tool[] = [
  overview,
  find,
  runStatus,
  listRecords,
  getRecord,
  explainFailures,
  compareRuns,
  metricReliability,
  previewMetric,
  createTestcases,
  saveMetric,
  scoreRecord,
  annotateRecord,
  startRescore,
];
