import type { z } from 'zod';
import { conflict, type Failure } from './failure.ts';
import {
  attachmentBytesLine,
  attachmentLine,
  endLine,
  headerLine,
  memberLine,
} from './project-file/framing.ts';
import { metricGroupLine, metricLine, metricVersionLine } from './project-file/metric-lines.ts';
import { monitorLine } from './project-file/monitor-line.ts';
import { pairJudgementLine, pairwiseComparisonLine } from './project-file/pairwise-lines.ts';
import { annotationLine, labelDrawLine, recordLine } from './project-file/record-lines.ts';
import { runLine } from './project-file/run-line.ts';
import {
  projectLine,
  systemLine,
  systemVersionLine,
  testcaseAnnotationLine,
  testcaseLine,
  testsetLine,
} from './project-file/shape-lines.ts';

export { type AuthorMove, authorFields } from './project-file/authors.ts';
export {
  attachmentBlockBytes,
  formatVersion,
  projectFormat,
  sessionLine,
} from './project-file/framing.ts';
export type { ExportedPart, ImportedAttachments } from './project-file/operations.ts';
export { missingAttachmentsMax } from './project-file/operations.ts';

/** The lines of a project's file, by their `kind`, in the order in which they are written. */
export const lineSchemas = {
  header: headerLine,
  project: projectLine,
  member: memberLine,
  testset: testsetLine,
  testcase: testcaseLine,
  testcaseAnnotation: testcaseAnnotationLine,
  system: systemLine,
  systemVersion: systemVersionLine,
  metric: metricLine,
  metricVersion: metricVersionLine,
  metricGroup: metricGroupLine,
  monitor: monitorLine,
  run: runLine,
  record: recordLine,
  annotation: annotationLine,
  labelDraw: labelDrawLine,
  pairwiseComparison: pairwiseComparisonLine,
  pairJudgement: pairJudgementLine,
  attachment: attachmentLine,
  attachmentBytes: attachmentBytesLine,
  end: endLine,
};

export type LineKind = keyof typeof lineSchemas;
export type Line<Kind extends LineKind> = z.output<(typeof lineSchemas)[Kind]>;
/** A line as it is written: a payload may still be in the database. */
export type LineToWrite<Kind extends LineKind> = z.input<(typeof lineSchemas)[Kind]>;

const kindForm = /^\s*\{\s*"kind"\s*:\s*"([A-Za-z]{1,64})"/;

export const lineKinds = Object.keys(lineSchemas) as LineKind[];

/**
 * The bytes of one line: a record of 15 MiB with its scores, judgements and tags.
 */
export const lineBytesMax = 40 * 1024 * 1024;

/** A payload of 512 levels stands a few levels deep in its line. */
export const lineDepthMax = 520;

/** Lines that one request between services carries, unless a single one is larger. */
export const batchLinesMax = 500;
export const batchBytesMax = 8 * 1024 * 1024;

/** How lines are read. */
export const lineFormat = { kindOf, bytesMax: lineBytesMax, depthMax: lineDepthMax };

/** Reads the kind with which a line begins; undefined where it begins otherwise. */
export function kindOf(line: Uint8Array): string | undefined {
  return kindForm.exec(new TextDecoder().decode(line.subarray(0, 256)))?.[1];
}

/** The failure of whatever comes to an import that is no longer there. */
export const sweptAway = (): Failure =>
  conflict('The import was swept away, because it stood still too long.');

export const isLineKind = (kind: string): kind is LineKind => Object.hasOwn(lineSchemas, kind);
