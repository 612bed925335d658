import type { Look } from '@assay/contracts/results';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Stopping, StoredRun } from '../../store/runs.ts';
import { endOfOrder } from '../accounts/judge-order.ts';
import { type ScoreStates, scoreStatesOf, withStopped } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { batchMax } from './requeue.ts';

/** Testcases between two looks, at least; and as a part of those that are judged. */
const testcasesMin = 20;
const testcasesShare = 0.1;

type Decision = NonNullable<Stopping['decision']>;
type StoppingRun = StoredRun & { stopping: Stopping };

/**
 * Asks judges of a run that may stop early about its testcases in a random order, batch by batch,
 * until the comparison with its baseline is decided (ADR 40). The run tells how far it is; each
 * step is taken once, whichever process takes it, and can be repeated.
 */
export function createStopping({
  store,
  ask,
  now,
}: Pick<Dependencies, 'store' | 'now'> & { ask: Pick<Dependencies['ask'], 'results'> }) {
  const judgedVersions = ({ metrics }: StoredRun): string[] =>
    metrics
      .filter(({ evalType }) => evalType === 'ai')
      .map(({ metricVersionId }) => metricVersionId);

  /** Takes the next step, if it is time for one. Returns the records that judges are asked about. */
  async function moveOn(organizationId: string, run: StoppingRun): Promise<string[]> {
    const { id: runId, numExpectedRecords, repeats = 1 } = run;
    const { judgedTo } = run.stopping;
    const { records } = (await store.runs.countsOf(organizationId, [runId])).get(runId)!;
    if (records < (numExpectedRecords ?? Infinity)) return [];
    let pairs = 0;
    if (judgedTo !== '') {
      const metricVersionIds = judgedVersions(run);
      const isMissing = await store.judging.isMissing(organizationId, {
        runId,
        to: judgedTo,
        metricVersionIds,
      });
      if (isMissing) return [];
      const look = await lookAt(organizationId, run);
      const decision = decisionOf(look, run.stopping, now());
      if (decision) return decide(organizationId, run, decision);
      if (look.outcome === 'compared') pairs = look.pairs;
    }
    const testcases = Math.max(testcasesMin, Math.ceil(pairs * testcasesShare));
    const to = await store.judging.placeAfter(organizationId, {
      runId,
      from: judgedTo,
      count: testcases * repeats,
    });
    if (to !== undefined) return release(organizationId, run, { to });
    const decision: Decision = { ...undecided, reason: 'all_judged', at: now(), pairs };
    return decide(organizationId, run, decision);
  }

  const lookAt = (organizationId: string, { id, stopping }: StoppingRun): Promise<Look> =>
    ask.results.look(serviceIdentity(organizationId), {
      baselineRunId: stopping.compareWith,
      candidateRunId: id,
      metricId: stopping.metricId,
      level: stopping.level,
    });

  /**
   * Lets judges be asked up to a place. The sweep is told before: it finds the records if this
   * process ends before their jobs are published.
   */
  async function release(
    organizationId: string,
    { id: runId, stopping }: StoppingRun,
    { to, decision }: { to: string; decision?: Decision },
  ): Promise<string[]> {
    const from = stopping.judgedTo;
    const ids = await store.judging.wake(organizationId, { runId, from, to });
    const isMoved = await store.runs.moveOn(organizationId, runId, {
      from,
      to,
      ...(decision ? { decision } : {}),
    });
    return isMoved ? ids : [];
  }

  async function decide(
    organizationId: string,
    run: StoppingRun,
    decision: Decision,
  ): Promise<string[]> {
    if (!isEarly(decision)) return release(organizationId, run, { to: endOfOrder, decision });
    const { judgedTo } = run.stopping;
    await store.runs.moveOn(organizationId, run.id, { from: judgedTo, to: judgedTo, decision });
    return [];
  }

  /** Marks the scores as stopped for which no judge is asked any more. */
  async function stopHeld(organizationId: string, run: StoppingRun): Promise<void> {
    const metricVersionIds = judgedVersions(run);
    for (;;) {
      const ids = await store.judging.listHeld(organizationId, {
        runId: run.id,
        from: run.stopping.judgedTo,
        metricVersionIds,
        limit: batchMax,
      });
      if (ids.length === 0) break;
      await store.records.changeScoreStates(organizationId, {
        run,
        ids,
        change: (record) => {
          const held = record.pending.filter((id) => metricVersionIds.includes(id));
          return held.length === 0
            ? undefined
            : held.reduce<ScoreStates>(withStopped, scoreStatesOf(record));
        },
      });
    }
    await store.runs.endLooks(organizationId, run.id);
  }

  return {
    /**
     * Moves the run on, and returns the records that judges may be asked about: those among these,
     * and those for which the time has come.
     */
    async admit(organizationId: string, run: StoredRun, recordIds: string[]): Promise<string[]> {
      const { stopping } = run;
      if (!stopping) return recordIds;
      const due = stopping.decision ? [] : await moveOn(organizationId, { ...run, stopping });
      const current = await store.runs.find(organizationId, run.id);
      if (!current?.stopping) return [];
      const released = await store.judging.findReleased(organizationId, current, recordIds);
      if (current.stopping.decision)
        await stopHeld(organizationId, { ...current, stopping: current.stopping });
      return [...new Set([...released, ...due])];
    },
  };
}

const undecided = { outcome: 'undecided' } as const;

/** Whether the rest of the run is not judged. */
const isEarly = ({ reason }: Decision): boolean => reason === 'decided' || reason === 'futile';

function decisionOf(look: Look, { futility }: Stopping, at: Date): Decision | undefined {
  if (look.outcome === 'not comparable')
    return { ...undecided, reason: 'not_comparable', at, pairs: 0 };
  const { verdict, pairs, canDecide } = look;
  if (verdict !== 'undecided') return { outcome: verdict, reason: 'decided', at, pairs };
  return futility && !canDecide ? { ...undecided, reason: 'futile', at, pairs } : undefined;
}
