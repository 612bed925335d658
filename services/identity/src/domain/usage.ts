import type { Asks, Identity } from '@assay/contracts/define';
import type { CountedUsage, OrganizationUsage, OwnLimits } from '@assay/contracts/limits';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { sessions } from '@assay/contracts/sessions';
import type { traces } from '@assay/contracts/traces';
import type { Store } from '../store.ts';

interface Dependencies {
  store: Pick<Store, 'findLimits'>;
  ask: {
    'run-records': Pick<Asks<typeof runRecords>, 'usage'>;
    sessions: Pick<Asks<typeof sessions>, 'usage'>;
    traces: Pick<Asks<typeof traces>, 'usage'>;
    scoring: Pick<Asks<typeof scoring>, 'usage'>;
  };
  /** The setting of the gateway. */
  requestsPerMinute: number;
}

export type Usage = ReturnType<typeof createUsage>;

/**
 * Tells what an organization has used: each service that counts is asked, and says what the
 * installation allows.
 */
export function createUsage({ store, ask, requestsPerMinute }: Dependencies) {
  /** @throws SERVICE_UNAVAILABLE where one of those that count does not answer. */
  async function read(
    identity: Identity,
  ): Promise<{ limits: OwnLimits; usage: OrganizationUsage }> {
    const [limits, records, attachmentBytes, traceBytes, judgeUsd] = await Promise.all([
      store.findLimits(identity.organizationId),
      ask['run-records'].usage(identity, {}),
      ask.sessions.usage(identity, {}),
      ask.traces.usage(identity, {}),
      ask.scoring.usage(identity, {}),
    ]);
    const usage = {
      records: within(records, limits.recordsMax),
      attachmentBytes: within(attachmentBytes, limits.attachmentsBytesMax),
      traceBytesPerDay: withinDay(traceBytes, limits.traceBytesPerDayMax),
      judgeUsdPerDay: withinDay(judgeUsd, limits.judgeBudgetUsdPerDay),
      requestsPerMinute: { limit: limits.requestsPerMinute ?? requestsPerMinute },
    };
    return { limits, usage };
  }

  return {
    read,
    async getOrganizationUsage(identity: Identity): Promise<OrganizationUsage> {
      return (await read(identity)).usage;
    },
  };
}

const within = ({ used, installationLimit }: CountedUsage, own: number | undefined) => ({
  used,
  limit: own ?? installationLimit,
});

const withinDay = (counted: CountedUsage, own: number | undefined) => ({
  ...within(counted, own),
  resetsAt: counted.resetsAt!,
});
