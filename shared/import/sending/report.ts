import { whole } from '@assay/client/figures';
import type { LossEntity } from '../entity.ts';

export interface ImportedTestset {
  id: string | null;
  name: string;
  isNew: boolean;
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  refused: number;
  /** Stored, and against the testset's schema. */
  invalid: number;
}

export interface ImportedEntity {
  id: string | null;
  name: string;
  isNew: boolean;
}

export interface ImportedRun extends ImportedEntity {
  /** Records that were stored now, and those of an earlier import. */
  created: number;
  existing: number;
  refused: number;
  scores: number;
}

export type Loss = Pick<LossEntity, 'place' | 'reason' | 'count'>;

/**
 * How many of the testcases, and after them of the records, have been read so far, and how many
 * records are stored.
 */
export type Progress =
  | { kind: 'testcases'; count: number }
  | { kind: 'records'; count: number; stored: number };

/** The result of an import: the document of --json and of import-report.json. Ids are null in a dry run where nothing is there yet. */
export interface ImportReport {
  dryRun: boolean;
  format: string;
  files: string[];
  project: ImportedEntity;
  testsets: ImportedTestset[];
  metrics: ImportedEntity[];
  systems: ImportedEntity[];
  runs: ImportedRun[];
  annotations: number;
  losses: Loss[];
}

/** The report for people. */
export function reportLines({
  dryRun,
  project,
  testsets,
  metrics,
  systems,
  runs,
  annotations,
}: ImportReport): string[] {
  const isNewWord = ({ isNew }: { isNew: boolean }) =>
    isNew ? (dryRun ? 'to be made' : 'new') : 'there already';
  const list = (kind: string, entities: ImportedEntity[]) =>
    entities.map((entity) => `${kind} "${entity.name}": ${isNewWord(entity)}`);
  return [
    ...(dryRun ? ['Nothing was stored. The import would come to:'] : []),
    `Project "${project.name}": ${isNewWord(project)}`,
    ...testsets.map(
      (testset) =>
        `Testset "${testset.name}": ${isNewWord(testset)}; testcases: ${testcaseCounts(testset)}`,
    ),
    ...list('Metric', metrics),
    ...list('System', systems),
    ...runs.map(
      (run) =>
        `Run "${run.name}": ${isNewWord(run)}; records: ${recordCounts(run)}; scores: ${whole(run.scores)}`,
    ),
    ...(annotations > 0 ? [`Annotations: ${whole(annotations)}`] : []),
  ];
}

/** The outcomes of a testset's testcases: "120 new, 3 unchanged". */
export const testcaseCounts = (testset: ImportedTestset): string =>
  countsOf({
    new: testset.created,
    updated: testset.updated,
    unchanged: testset.unchanged,
    deleted: testset.deleted,
    refused: testset.refused,
    'against the schema': testset.invalid,
  });

/** The outcomes of a run's records: "120 new". */
export const recordCounts = ({ created, existing, refused }: ImportedRun): string =>
  countsOf({ new: created, 'there already': existing, refused });

function countsOf(counts: Record<string, number>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([name, count]) => `${whole(count)} ${name}`).join(', ') || 'none';
}

/** A loss as people read it. */
export function lossSentence({ place, reason, count }: Loss): string {
  const parts = [place.file, place.line && `line ${place.line}`, place.at].filter(Boolean);
  const where = parts.length > 0 ? `${parts.join(', ')}: ` : '';
  return `${where}${reason}${count > 1 ? ` (${whole(count)} times)` : ''}`;
}
