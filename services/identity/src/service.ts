import { erasingServices } from '@assay/contracts/erasing-services';
import { erasureOf } from '@assay/contracts/erasure';
import { identity } from '@assay/contracts/identity';
import { metrics } from '@assay/contracts/metrics';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { sessions } from '@assay/contracts/sessions';
import { testcases } from '@assay/contracts/testcases';
import { traces } from '@assay/contracts/traces';
import { createDueWork } from '@assay/runtime/concurrency/due-work';
import {
  type OperatorConfig,
  operatorConfig,
  publicUrl,
  type RateLimitConfig,
  rateLimitConfig,
  requestsPerMinuteDefault,
  type ServiceConfig,
  serviceConfig,
} from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { settledMs } from '@assay/runtime/mongo/purge';
import { type RunningService, startService } from '@assay/runtime/service';
import { keysTowards } from '@assay/runtime/signature';
import { createAnswers, createSubscriptions } from './bus.ts';
import { createBrowserSessions } from './domain/browser-sessions.ts';
import { createDeletion } from './domain/deletion.ts';
import { createDeviceLogins } from './domain/device-logins.ts';
import { createForgetting } from './domain/forgetting.ts';
import { createImportedPeople } from './domain/imported-people.ts';
import { createInvitations } from './domain/invitations.ts';
import { createLastUse } from './domain/last-use.ts';
import { createOperator } from './domain/operator.ts';
import { createOrganizationLife } from './domain/organization-life.ts';
import { createUsage } from './domain/usage.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { attemptsOfOrganization } from './store/device-logins.ts';
import { createStore } from './store.ts';

/** The environment variables of identity. */
export const identityConfig = {
  ...serviceConfig,
  ...operatorConfig,
  ...rateLimitConfig,
  /** Links by which people sign in begin with it; without it they are paths. */
  PUBLIC_URL: publicUrl.optional(),
};

/** Settings that are left out have their defaults. */
export type IdentityConfig = ServiceConfig &
  OperatorConfig &
  Partial<RateLimitConfig> & { PUBLIC_URL?: string | undefined };

/** A key's last use is noted at most this often. */
const keyUseEveryMs = 60_000;

/** The same of a browser session and of a member: each note is a write. */
const sessionUseEveryMs = 5 * 60_000;

/** Organizations, members, API keys and browser sessions. */
export function start(config: IdentityConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: identity,
    config,
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    migrations,
    ownerships: {
      members: 'organizationId',
      apiKeys: 'organizationId',
      browserSessions: 'organizationId',
      loginTokens: 'organizationId',
      invitations: 'organizationId',
      deviceLogins: 'organizationId',
      importedPeople: 'organizationId',
      projectLanes: 'organizationId',
      // The organization itself is deleted when everything else is.
      organizations: 'nobody',
      requestCounts: (organizationId) => ({ '_id.organizationId': organizationId }),
      deviceCodeAttempts: attemptsOfOrganization,
    },
    log,
    compose: ({ database, bus, keys, announce, log }) => {
      const clock = () => new Date();
      const store = createStore(database);
      const keyUse = createLastUse({
        everyMs: keyUseEveryMs,
        note: store.noteKeyUse,
        failed: (error, apiKeyId) =>
          log.warn({ err: error, apiKeyId }, 'the last use of a key was not noted'),
        clock,
      });
      const sessionUse = createLastUse({
        everyMs: sessionUseEveryMs,
        note: store.noteBrowserSessionUse,
        failed: (error, browserSessionId) =>
          log.warn({ err: error, browserSessionId }, 'the use of a browser session was not noted'),
        clock,
      });
      const memberUse = createLastUse({
        everyMs: sessionUseEveryMs,
        note: store.noteMemberUse,
        failed: (error, userId) =>
          log.warn({ err: error, userId }, 'when a member was seen last was not noted'),
        clock,
      });
      const ask = bus.asks(runRecords, sessions, traces, scoring, metrics, testcases);
      const importedPeople = createImportedPeople({ store, ask, clock });
      const domain = createDomain({
        store,
        importedPeople,
        keyUse,
        memberUse,
        announce,
        clock,
        newId,
      });
      const invitations = createInvitations({
        store,
        publicUrl: config.PUBLIC_URL ?? '',
        clock,
        newId,
      });
      const browserSessions = createBrowserSessions({
        addressKeys: () => keysTowards(keys, 'gateway'),
        store,
        invitations,
        keyUse,
        memberUse,
        sessionUse,
        announce,
        clock,
        newId,
      });
      const deviceLogins = createDeviceLogins({ store, announce, clock, newId });
      const usage = createUsage({
        store,
        ask,
        requestsPerMinute: config.RATE_LIMIT_PER_MINUTE ?? requestsPerMinuteDefault,
      });
      const operator = createOperator({ store, usage, announce, clock, newId });
      const life = createOrganizationLife({ store, announce, clock });
      const forgetting = createForgetting({ store, announce, ...bus.asks(traces, sessions) });
      const deletion = createDeletion({
        store,
        erasures: bus.asks(...erasingServices.map(erasureOf)),
        settledMs,
        clock,
      });
      const moves = createDueWork({
        organizations: importedPeople.organizations,
        work: importedPeople.moveSome,
        failure: 'what an imported person made will be given to a member later',
        log,
      });
      return {
        routes: createRoutes(
          domain,
          browserSessions,
          deviceLogins,
          usage,
          importedPeople,
          invitations,
        ),
        answers: createAnswers(domain, browserSessions, { operator, life, deletion, forgetting }),
        subscriptions: createSubscriptions(importedPeople),
        started: moves.start,
        stop: async () => {
          await moves.stop();
          await keyUse.settle();
          await sessionUse.settle();
          await memberUse.settle();
        },
      };
    },
  });
}
