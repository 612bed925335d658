import { useRef, useState } from 'react';
import { change, markStale, useReading } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { valueIn } from '../../text/scores.ts';
import type { PairItem } from './pair.tsx';

/** Which of two answers is better, as two scores of a human metric say it. */
export type Preference = 'baseline' | 'candidate' | 'both';

type Side = 'baseline' | 'candidate';
const sides: Side[] = ['baseline', 'candidate'];

/** A human metric of yes or no that both runs have. */
export interface PreferenceMetric {
  metricId: string;
  name: string;
  versions: Record<Side, string>;
  /** The value of a good answer: false where less is better. */
  good: boolean;
  /** Several members score each record, so that only one's own score is a preference. */
  hasSeveralAnnotators: boolean;
}

/** The scores of a pair; undefined on a side that has none. */
type Scores = Record<Side, Record<string, unknown> | undefined>;

/** Which answers a preference calls good. */
const goodBy: Record<Preference, Record<Side, boolean>> = {
  baseline: { baseline: true, candidate: false },
  candidate: { baseline: false, candidate: true },
  both: { baseline: true, candidate: true },
};

/** The metrics by which preferences can be given; undefined until they are known. */
export function usePreferenceMetrics(
  baselineRunId: string,
  candidateRunId: string,
): PreferenceMetric[] | undefined {
  const baseline = useReading('/runs/:runId/summary', { params: { runId: baselineRunId } });
  const candidate = useReading('/runs/:runId/summary', { params: { runId: candidateRunId } });
  if (!baseline.data || !candidate.data) return undefined;
  const others = candidate.data.metrics;
  return baseline.data.metrics.flatMap((metric) => {
    const { metricId, name, evalType, outputType, agreement } = metric;
    const other = others.find((one) => one.metricId === metricId);
    if (!other || evalType !== 'human' || outputType !== 'boolean') return [];
    return [
      {
        metricId,
        name,
        versions: { baseline: metric.metricVersionId, candidate: other.metricVersionId },
        good: metric.lowerIsBetter !== true,
        hasSeveralAnnotators: agreement !== undefined || other.agreement !== undefined,
      },
    ];
  });
}

/** Gives preferences, one after the other, and takes them back. */
export function usePreferences(metric: PreferenceMetric | undefined) {
  const me = useMe();
  const [given, setGiven] = useState(new Map<string, Scores>());
  const [error, setError] = useState<Error>();
  const saving = useRef(Promise.resolve());
  const undoable = useRef<{ pair: PairItem; before: Scores; metric: PreferenceMetric }[]>([]);
  const keyOf = (pair: PairItem, { metricId }: PreferenceMetric) =>
    `${metricId} ${pair.testcaseId}`;
  const currentOf = (pair: PairItem, of: PreferenceMetric): Scores =>
    given.get(keyOf(pair, of)) ?? storedScores(pair, of, me.data?.member.userId);
  const set = (pair: PairItem, of: PreferenceMetric, scores: Scores) =>
    setGiven((all) => new Map(all).set(keyOf(pair, of), scores));
  const write = (pair: PairItem, of: PreferenceMetric, scores: Scores) => {
    const before = currentOf(pair, of);
    set(pair, of, scores);
    setError(undefined);
    saving.current = saving.current
      .then(() => save(pair, of, scores))
      .catch((failure: Error) => {
        const key = keyOf(pair, of);
        // Unless another preference was given meanwhile.
        setGiven((all) => (all.get(key) === scores ? new Map(all).set(key, before) : all));
        setError(failure);
      });
  };
  return {
    error,
    preferenceOf: (pair: PairItem): Preference | undefined =>
      metric && preferenceIn(currentOf(pair, metric), metric),
    /** Gives a preference; the one that is given already is taken back. */
    prefer: (pair: PairItem, preference: Preference) => {
      if (!metric || !pair.baseline || !pair.candidate) return;
      const before = currentOf(pair, metric);
      undoable.current.push({ pair, before, metric });
      const isGiven = preferenceIn(before, metric) === preference;
      write(
        pair,
        metric,
        isGiven ? { baseline: undefined, candidate: undefined } : newScores(preference, metric),
      );
    },
    /** Puts the scores back that the last preference replaced, and returns its pair. */
    undo: (): PairItem | undefined => {
      const last = undoable.current.pop();
      if (last) write(last.pair, last.metric, last.before);
      return last?.pair;
    },
  };
}

const valueFor = (preference: Preference, side: Side, { good }: PreferenceMetric): boolean =>
  goodBy[preference][side] === good;

const newScores = (preference: Preference, metric: PreferenceMetric): Scores => ({
  baseline: { value: valueFor(preference, 'baseline', metric) },
  candidate: { value: valueFor(preference, 'candidate', metric) },
});

function preferenceIn(
  { baseline, candidate }: Scores,
  metric: PreferenceMetric,
): Preference | undefined {
  const values = {
    baseline: baseline && valueIn(baseline),
    candidate: candidate && valueIn(candidate),
  };
  return (Object.keys(goodBy) as Preference[]).find((preference) =>
    sides.every((side) => valueFor(preference, side, metric) === values[side]),
  );
}

function storedScores(
  pair: PairItem,
  { versions, hasSeveralAnnotators }: PreferenceMetric,
  userId: string | undefined,
): Scores {
  const scoreOf = (side: Side) =>
    pair[side]?.scores.find(
      (score) =>
        score.metricConfigId === versions[side] &&
        (!hasSeveralAnnotators || score.userId === userId),
    )?.score;
  return { baseline: scoreOf('baseline'), candidate: scoreOf('candidate') };
}

async function save(pair: PairItem, { versions }: PreferenceMetric, scores: Scores) {
  for (const side of sides) {
    const params = { recordId: pair[side]!.id, metricConfigId: versions[side] };
    const score = scores[side];
    if (score)
      await change('PUT', '/records/:recordId/scores/:metricConfigId', { params, body: { score } });
    else await change('DELETE', '/records/:recordId/scores/:metricConfigId', { params });
  }
  // The pairs stay where they are while somebody walks them.
  await markStale([
    '/records/:recordId',
    '/runs/:runId/records',
    '/runs/:runId/summary',
    '/comparisons/pairs',
  ]);
}
