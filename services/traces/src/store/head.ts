import type { Evaluation } from '@assay/contracts/traces';

/** The part of a head that is read of its spans when it is settled. */
export interface ReadFields {
  name: string;
  serviceName: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  numSpans: number;
  numErrors: number;
  models: string[];
  provider: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  totalTokens: number | null;
  costUsd: number | null;
  /** The cost is that of some of the calls; missing of a trace that settled before this was told. */
  costIsPartial?: boolean;
  sessionId: string | null;
  userId: string | null;
  tags: string[];
  metadata: [key: string, value: string][];
  linkIds: string[];
  groupId: string | null;
  evaluations: Evaluation[];
  inputPreview: string | null;
  outputPreview: string | null;
}

/** What is missing stays as it is: the counts of a trace that was not read whole, and a cost. */
export type SettledFields = Omit<ReadFields, CanBeMissing> &
  Partial<Pick<ReadFields, CanBeMissing>>;
type CanBeMissing = 'numSpans' | 'numErrors' | 'costUsd' | 'costIsPartial';

export interface StoredHead extends ReadFields {
  traceId: string;
  projectId: string;
  isProjectGuessed: boolean;
  isSettled: boolean;
  /** When the last spans came. */
  changedAt: Date;
  /** Grows with each request that brings spans of it. */
  arrivals: number;
  expiresAt: Date;
  /** What its annotations rate it: `[true]`, `[false]` or both; missing where none was ever made. */
  ratings?: boolean[];
}

/** A head that is due to be settled. */
export interface DueHead {
  organizationId: string;
  traceId: string;
  projectId: string;
  isProjectGuessed: boolean;
  changedAt: Date;
  arrivals: number;
  expiresAt: Date;
}

/** A head that monitors are to be asked about. */
export interface AskedHead extends StoredHead {
  organizationId: string;
  monitorIds: string[];
}

/** A trace that a monitor is still to be asked about. */
export interface OpenTrace {
  /** The places in hours of this monitor that it holds since an earlier try. */
  places: string[];
  /** The runs of monitors in which its record was counted. */
  recordedIn: string[];
}

export interface HeadDocument extends StoredHead {
  /** `<organization>/<trace>`. */
  _id: string;
  organizationId: string;
  /** The duration of a settled trace, which lists are filtered by. */
  durationMs?: number;
  /** The version of the mapping by which it was settled. */
  mapping?: number;
  hasRoot: boolean;
  /** Its project keeps no traces. */
  isNeverKept?: boolean;
  /** Annotations that were ever made of it. */
  timesAnnotated?: number;
  /** Changes of its annotations. */
  timesRated?: number;
  /** Until when a process settles it, and which one. */
  claimedUntil?: Date;
  claimedBy?: string;
  /** The monitors that are still to be asked about it, when, and which process asks them. */
  monitorIds?: string[];
  askAt?: Date;
  askedBy?: string;
  /** The places in hours of monitors (`<monitor>/<hour>`) that it holds until it is counted. */
  places?: string[];
  /** The runs of monitors in which its record was counted. */
  recordedIn?: string[];
}

/** The id of a trace's head. */
export const idOf = (organizationId: string, traceId: string): string =>
  `${organizationId}/${traceId}`;
