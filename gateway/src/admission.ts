import { type Failure, unavailable } from '@assay/contracts/failure';
import { createFairShare, type FairShare } from '@assay/runtime/concurrency/fair-share';
import type { Replica, Upstream } from '@assay/runtime/http/upstreams';
import type { Log } from '@assay/runtime/log';
import type { Metrics } from '@assay/runtime/metrics';
import {
  createExpensiveRequests,
  type ExpensiveBounds,
  type ExpensiveKind,
  type ExpensiveRequests,
} from './expensive-requests.ts';

/**
 * One process of a service, and how many requests of each organization are on their way through it.
 */
export interface ReplicaLoad {
  replica: Replica;
  /** Requests that the process has whole, and whose reply has not begun. */
  waiting: FairShare;
  /** Requests whose body goes there piece by piece, as fast as their clients send it. */
  uploading: FairShare;
  /** The turns of expensive requests: a page is not kept waiting by uploads of its organization. */
  expensive: Record<ExpensiveKind, ExpensiveRequests>;
}

type Stage = 'waiting' | 'uploading';

/**
 * A service with its processes and their room: when one service hangs, only its own requests are
 * refused.
 */
export interface Admission {
  /**
   * The processes with room for one more request of an organization, in the order in which they are
   * tried.
   */
  replicasFor(stage: Stage, organizationId: string): ReplicaLoad[];
  /** Is there a process for which one more request of an organization may wait? */
  hasRoom(organizationId: string): boolean;
  /**
   * Counts a request that is refused for want of room and returns the failure, one object for all
   * since there may be very many.
   */
  refuse(): Failure;
  /** The requests that wait for the process for which most do. */
  waitingMost(): number;
  /** The expensive requests that wait for their organization's turn. */
  waitingExpensive(): number;
}

/** Refusals are counted one by one, and logged together. */
const loggedEveryMs = 1000;

/**
 * Gives each process of a service room for `waitingMax` requests of one organization that wait, and
 * for as many uploads, with a reserve for the others.
 */
export function createAdmissions({
  upstreams,
  waitingMax,
  expensive,
  metrics,
  log,
}: {
  upstreams: Upstream[];
  waitingMax: number;
  expensive: ExpensiveBounds;
  metrics: Metrics;
  log: Log;
}): Map<string, Admission> {
  const refusals = metrics.counter(
    'assay_refused_requests_total',
    'Requests that a service had no room for.',
    ['upstream'],
  );
  const admissions = new Map(
    upstreams.map((upstream) => {
      const { service } = upstream;
      const tell = (refused: number) =>
        log.warn({ upstream: service, refused }, 'a service had no room for requests');
      return [
        service,
        createAdmission({
          upstream,
          waitingMax,
          expensive,
          count: () => refusals.inc({ upstream: service }),
          tell,
        }),
      ];
    }),
  );
  const waitingMost = () =>
    Math.max(...[...admissions.values()].map((admission) => admission.waitingMost()));
  metrics.gauge(
    'assay_waiting_requests',
    'Requests that wait for the process of a service for which most do.',
    waitingMost,
  );
  metrics.gauge(
    'assay_waiting_expensive_requests',
    "Expensive requests that wait for their organization's turn.",
    () =>
      [...admissions.values()].reduce((sum, admission) => sum + admission.waitingExpensive(), 0),
  );
  return admissions;
}

function createAdmission({
  upstream,
  waitingMax,
  expensive,
  count,
  tell,
}: {
  upstream: Upstream;
  waitingMax: number;
  expensive: ExpensiveBounds;
  count: () => void;
  tell: (refused: number) => void;
}): Admission {
  // A replica that is gone takes its load with it.
  const loads = new WeakMap<Replica, ReplicaLoad>();
  const loadOf = (replica: Replica): ReplicaLoad => {
    const known = loads.get(replica);
    if (known) return known;
    const load = {
      replica,
      waiting: createFairShare(waitingMax),
      uploading: createFairShare(waitingMax),
      expensive: {
        short: createExpensiveRequests({ ...expensive, waitingEach: waitingMax }),
        streamed: createExpensiveRequests({ ...expensive, waitingEach: waitingMax }),
      },
    };
    loads.set(replica, load);
    return load;
  };
  const failure = unavailable('A part of the service takes no more requests at the moment.');
  const hasRoomFor = (load: ReplicaLoad, stage: Stage, organizationId: string) =>
    load.waiting.hasRoom(organizationId, 1) && load[stage].hasRoom(organizationId, 1);
  let untold = 0;
  let toldAtMs = Number.NEGATIVE_INFINITY;

  return {
    replicasFor: (stage, organizationId) =>
      upstream
        .inTurn()
        .map(loadOf)
        .filter((load) => hasRoomFor(load, stage, organizationId)),
    hasRoom: (organizationId) =>
      upstream.replicas().some((replica) => hasRoomFor(loadOf(replica), 'waiting', organizationId)),
    refuse: () => {
      count();
      untold += 1;
      const now = performance.now();
      if (now - toldAtMs >= loggedEveryMs) {
        tell(untold);
        untold = 0;
        toldAtMs = now;
      }
      return failure;
    },
    waitingExpensive: () =>
      upstream.replicas().reduce((sum, replica) => {
        const { short, streamed } = loadOf(replica).expensive;
        return sum + short.waiting() + streamed.waiting();
      }, 0),
    waitingMost: () =>
      Math.max(...upstream.replicas().map((replica) => loadOf(replica).waiting.heldByAll())),
  };
}

/**
 * A request in flight to a replica: uploading if its body goes there in pieces, then waiting, until
 * its reply begins or it is over.
 */
export interface InFlight {
  bodySent(): void;
  replyBegan(): void;
  ended(): void;
}

/** Counts a request as in flight; `over` is called when it is over. */
export function admit(
  load: ReplicaLoad,
  stage: Stage,
  organizationId: string,
  over: () => void = () => undefined,
): InFlight {
  let current: Stage | undefined;
  let hasReply = false;
  const move = (to: Stage | undefined) => {
    if (current) load[current].giveBack(organizationId, 1);
    if (to) load[to].take(organizationId, 1);
    current = to;
  };
  move(stage);
  return {
    bodySent: () => {
      if (current === 'uploading') move(hasReply ? undefined : 'waiting');
    },
    // An upload continues after its reply began: the answers to a long upload begin before its end.
    replyBegan: () => {
      hasReply = true;
      if (current === 'waiting') move(undefined);
    },
    ended: () => {
      move(undefined);
      over();
    },
  };
}
