import { createHash } from 'node:crypto';
import { newId } from '@assay/runtime/ids';

export const header =
  '{"kind":"header","format":"assay-project","version":1,"exportedAt":"2026-01-31T12:00:00.000Z"}';

export const projectLine = () => `{"kind":"project","id":"${newId()}","name":"p","description":""}`;

export const runLine = (id: string) => ({
  kind: 'run',
  id,
  testsetId: null,
  systemId: null,
  systemVersionId: null,
  metrics: [],
  numExpectedRecords: null,
  source: 'API',
  createdAt: '2026-01-31T12:00:00.000Z',
  createdByUserId: null,
  name: null,
  labels: {},
  budgetUsd: null,
  cache: 'use',
  isPaused: false,
  costNanoUsd: 0,
  cachedAnswers: 0,
});

export const recordLine = (change: object) => ({
  kind: 'record',
  id: newId(),
  runId: newId(),
  testcaseId: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  inputs: {},
  expected: {},
  outputs: {},
  tags: [],
  assignees: [],
  scores: [],
  pending: [],
  awaited: [],
  failures: [],
  ...change,
});

export const monitorLine = (change: object) => ({
  kind: 'monitor',
  id: newId(),
  metricIds: [newId()],
  filter: {},
  description: 'm',
  sampleRate: 1,
  sampleBy: 'trace',
  maxPerHour: null,
  budgetUsdPerDay: null,
  select: 'trace',
  isPaused: false,
  createdAt: '2026-01-31T12:00:00.000Z',
  createdByUserId: newId(),
  ...change,
});

/** A file of these lines with its end line. */
export function fileOf(...lines: string[]): string {
  const before = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(before).digest('hex');
  return `${before}${JSON.stringify({ kind: 'end', lines: lines.length, sha256 })}\n`;
}
