import type { Entity, Fields, MetricBody, Usage } from './entity.ts';
import type { Place } from './failure.ts';
import type { Lose } from './reading/json-text.ts';
import type { Source } from './source.ts';

/**
 * The use of a column or field: a part of a testcase, or with `output` an answer to it, which becomes
 * a record of the run of its column.
 */
export type Role = 'input' | 'expected' | 'metadata' | 'output' | 'ignored';

/** The decisions of a user about an import. */
export interface ImportOptions {
  /** The name of the testset; the source's own when left out. */
  name?: string;
  /** The roles of columns or fields; the others keep the role that their name suggests. */
  roles?: Record<string, Role>;
  /** The column or field that identifies a testcase. */
  key?: string;
  /** One character; told from the header line when left out. */
  delimiter?: string;
  /** For metrics of words, by their names: which words pass. */
  categories?: Record<string, Record<string, boolean>>;
  /** ISO 8601; the label `importedAt` of the runs. */
  importedAt?: string;
}

/** One pass of a reader over its source; losses are noted in the first. */
export interface Reading {
  source: Source;
  options: ImportOptions;
  lose: Lose;
}

/** A format of files that can be imported. */
export interface Format {
  name: string;
  title: string;
  /** Its columns have no meaning of their own: their roles and the key can be given. */
  isTable?: true;
  /** How sure it is, from 0 to 1, that a file of this beginning and name is of the format. */
  detect(head: Uint8Array, name: string): number;
  /** @throws ImportFailure, before the first entity unless the source changes in between. */
  read(source: Source, options?: ImportOptions): AsyncIterable<Entity>;
}

/** One row of a source, with the facts that it states about each entity. */
export interface Item {
  place: Place;
  testset?: TestsetFacts;
  testcase?: TestcaseFacts;
  system?: { name: string; description?: string; config: Fields };
  run?: RunFacts;
  record?: RecordFacts;
  scores?: ScoreFacts[];
  annotations?: { rating?: boolean; comment?: string }[];
  /** Metrics that the source defines, beside those that only its scores name. */
  metrics?: MetricBody[];
}

/** Testsets of one name in one import are two only where their ids differ. */
export interface TestsetFacts {
  id?: string;
  name: string;
  description?: string;
  /** JSON Schemas of the input fields and of the expected ones, by their names in the source. */
  properties?: Fields;
  expectedProperties?: Fields;
  /** The names of fields that are required. */
  required?: string[];
}

export interface TestcaseFacts {
  key?: string;
  inputs: Fields;
  expected?: Fields;
  metadata?: Fields;
  /** Read from a row of a run, which lacks the metadata: a stored testcase of this key is not changed. */
  isPartial?: true;
}

export interface RunFacts {
  /** Unique in the source. */
  id: string;
  name: string;
  labels?: Record<string, string | undefined>;
  startedAt?: string;
  /** The column of a table that has its answers. */
  column?: string;
}

export interface RecordFacts {
  /** Unique in the run; the number of the row, with a hash of the source, when left out. */
  id?: string;
  /** Left out where the record stands elsewhere and this row adds scores to it. */
  outputs?: Fields;
  /** Why the system gave no answer, as the tool says it: a text, or an object with one. */
  error?: unknown;
  tags?: string[];
  otelLinkId?: string;
  metrics?: Usage;
  metadata?: Fields;
}

/**
 * The value of a score, and the rule that makes a metric of all of them. `share`: yes and no (also
 * as 1 and 0) is a boolean metric, 0..1 a float one. `float`: 0..1. `scale`: 0..1, or whole numbers
 * 1..5. A metric with other values is a loss. null: does not apply.
 */
export interface ScoreFacts {
  name: string;
  rule: 'share' | 'float' | 'scale';
  value: boolean | number | null;
  reasoning?: string;
  isByPeople?: boolean;
  /** The source says that less is better. */
  lowerIsBetter?: true;
}
