import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import { expiringRunsMax, keptReasons, type RunRetention } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Judgement, KeptRuns } from './kept-runs.ts';

/** Runs that are looked at together. */
const runsAtOnce = 20;
/** How long a request looks at runs. */
const looksMs = 15_000;

/** Tells which runs of a project would expire now. */
export function createRunRetention({
  store,
  keptRuns,
}: Pick<Dependencies, 'store'> & { keptRuns: KeptRuns }) {
  return {
    /** Looks at the runs of the project that are old enough, the oldest first. */
    async preview(identity: Identity, projectId: string, days: number): Promise<RunRetention> {
      const { organizationId } = identity;
      const retention = await keptRuns.retentionWith(identity, projectId, days);
      if (!retention) throw notFound('project', projectId);
      const told = nothingTold(days);
      const deadline = performance.now() + looksMs;
      for (let after = ''; ; ) {
        const some = await store.expiry.listMadeBefore(organizationId, {
          ...retention,
          after,
          limit: runsAtOnce,
        });
        const judgements = await Promise.all(
          some.map((run) => keptRuns.judge(organizationId, run, retention)),
        );
        const going = noteIn(told, some, judgements);
        const counts = await store.runs.countsOf(organizationId, going);
        for (const { records } of counts.values()) told.records += records;
        if (some.length < runsAtOnce) return told;
        if (performance.now() > deadline) return { ...told, hasMore: true };
        after = some.at(-1)!.id;
      }
    },
  };
}

const nothingTold = (days: number): RunRetention => ({
  days,
  runs: 0,
  records: 0,
  kept: Object.fromEntries(keptReasons.map((reason) => [reason, 0])) as RunRetention['kept'],
  first: [],
  hasMore: false,
});

/** Adds runs to the reply, but for their records. Returns the ids of those that would go. */
function noteIn(told: RunRetention, runs: StoredRun[], judgements: Judgement[]): string[] {
  const going: string[] = [];
  for (const [index, run] of runs.entries()) {
    const judgement = judgements[index]!;
    if (judgement === 'young') continue;
    if (judgement !== 'goes') {
      told.kept[judgement]++;
      continue;
    }
    going.push(run.id);
    told.runs++;
    if (told.first.length < expiringRunsMax) told.first.push(outlineOf(run));
  }
  return going;
}

const outlineOf = ({ id, name, createdAt }: StoredRun): RunRetention['first'][number] => ({
  id,
  ...(name === null ? {} : { name }),
  createdAt: createdAt.toISOString(),
});
