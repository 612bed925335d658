import type { Identity, Reply, Request } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { announcedLinksMax, type runRecords } from '@assay/contracts/run-records';
import { passes } from '@assay/contracts/scale';
import { serviceIdentity } from '@assay/runtime/signature';
import type { RecordOutcome } from '../accounts/outcomes.ts';
import { missingScoresOf } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { toScoreReply } from '../scores/scores.ts';

type Operation = (typeof runRecords)['operations']['readLinkedRecords'];
type LinkedReply = Reply<Operation>['records'][number];

/** The records that name traces. */
export function createLinkedRecords({ store }: Pick<Dependencies, 'store'>) {
  return {
    /** The newest ones; those of deleted runs are left out. */
    async read(
      { organizationId }: Identity,
      { linkIds, limit, withScores }: Request<Operation>['body'],
    ): Promise<Reply<Operation>> {
      const found = await store.linkedRecords.findNewest(organizationId, linkIds, {
        limit,
        withScores,
      });
      const runs = await store.runs.findEach(
        found.map(({ runId }) => ({ organizationId, id: runId })),
      );
      return {
        records: found.flatMap(
          ({ id, runId, otelLinkId, outcomes, envelope }, index): LinkedReply[] => {
            const run = runs[index];
            if (!run) return [];
            return [
              {
                id,
                runId,
                runName: run.name,
                otelLinkId,
                outcomes: run.metrics.flatMap((metric) => outcomeOf(metric, outcomes)),
                ...(envelope
                  ? {
                      scores: envelope.scores.map((score) => toScoreReply(id, score)),
                      missingScores: missingScoresOf(run.metrics, envelope),
                    }
                  : {}),
              },
            ];
          },
        ),
      };
    },
  };
}

/** Announces the link ids of new records, in the transaction that stores these. */
export const createLinkAnnouncements =
  ({ linkedRecordsCreated }: Dependencies['announce']) =>
  async (organizationId: string, linkIds: string[]): Promise<void> => {
    for (let at = 0; at < linkIds.length; at += announcedLinksMax)
      await linkedRecordsCreated(serviceIdentity(organizationId), {
        linkIds: linkIds.slice(at, at + announcedLinksMax),
      });
  };

/** The outcome of a metric by its name; none where it does not apply. */
function outcomeOf(
  version: MetricVersionOutline,
  outcomes: RecordOutcome[],
): LinkedReply['outcomes'] {
  const { metricId, metricVersionId, name } = version;
  const own = outcomes.filter((each) => each.metricVersionId === metricVersionId);
  const metric = { metricId, metricConfigId: metricVersionId, name };
  const value = own.map(({ outcome }) => outcome).find((each) => typeof each !== 'string');
  if (value !== undefined)
    return [{ ...metric, outcome: passes(version, value) === false ? 'fail' : 'pass', value }];
  return own.slice(0, 1).map(({ outcome }) => ({
    ...metric,
    outcome: outcome as LinkedReply['outcomes'][number]['outcome'],
    value: null,
  }));
}
