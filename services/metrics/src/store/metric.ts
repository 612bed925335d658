import type { MetricDefinition, StoredMetric, StoredVersion } from '../metric-definition.ts';

export interface StoredGroup {
  id: string;
  projectId: string;
  name: string;
  description: string;
  metricIds: string[];
  createdAt: string;
  updatedAt: string;
}

export type DocumentOf<Value> = Omit<Value, 'id'> & {
  _id: string;
  organizationId: string;
  /** Of a project that is being imported, which nobody sees yet. */
  isArriving?: true;
};
export type MetricDocument = DocumentOf<StoredMetric> & { touches: number };
export type VersionDocument = DocumentOf<StoredVersion>;
export type GroupDocument = DocumentOf<StoredGroup>;

export function fromDocument<Value>(document: DocumentOf<Value>): Value {
  const { _id, organizationId: _organizationId, isArriving: _isArriving, ...value } = document;
  return { id: _id, ...value } as Value;
}

export function toMetric(document: MetricDocument | null): StoredMetric | undefined {
  if (!document) return undefined;
  const { touches: _touches, ...metric } = document;
  return withWholeScoring(fromDocument<StoredMetric>(metric));
}

/** Documents made before a part of scoring was known do not have it. */
export function withWholeScoring<Stored extends { scoring: MetricDefinition }>({
  scoring,
  ...stored
}: Stored) {
  const judge = scoring.judge && { ...unsent.judge, ...scoring.judge };
  return { ...stored, scoring: { ...unsent.scoring, ...scoring, judge } };
}

const unsent = {
  scoring: { code: null, annotators: null, subject: null },
  judge: { votes: null, seed: null },
};
