import { z } from 'zod';
import { fieldMapping, runRetentionDays, tagsField, traceRetentionDays } from '../catalog.ts';
import { count, description, id, name, text, timestamp } from '../fields.ts';
import { payload } from '../payload.ts';
import { testcaseKey } from '../testcases.ts';

export const projectLine = z.object({
  kind: z.literal('project'),
  id: id(),
  name: name(),
  description: description(),
  traceRetentionDays: traceRetentionDays.optional(),
  runRetentionDays: runRetentionDays.optional(),
});

export const testsetLine = z.object({
  kind: z.literal('testset'),
  id: id(),
  name: name(),
  description: description(),
  jsonSchema: payload('The JSON Schema of a testcase.'),
  fieldMapping,
  tagsField: tagsField.optional(),
  /** How often schema or mapping were changed. */
  version: count(),
  baselineRunId: id().nullable(),
});

export const testcaseLine = z.object({
  kind: z.literal('testcase'),
  id: id(),
  testsetId: id(),
  key: testcaseKey.optional(),
  jsonData: payload('The data, as it was sent.'),
});

/** It follows its testcase. */
export const testcaseAnnotationLine = z.object({
  kind: z.literal('testcaseAnnotation'),
  id: id(),
  testcaseId: id(),
  testsetId: id(),
  rating: z.boolean().nullable(),
  comment: text(10_000).nullable(),
  editedAt: timestamp().optional(),
  userId: id(),
  createdAt: timestamp(),
});

export const systemLine = z.object({
  kind: z.literal('system'),
  id: id(),
  name: name(),
  description: description(),
  productionVersionId: id(),
});

/** Its system may have been deleted, and has no line then. */
export const systemVersionLine = z.object({
  kind: z.literal('systemVersion'),
  id: id(),
  systemId: id(),
  name: name(),
  config: payload('Whatever makes this version what it is.'),
});
