import type { Asks, Event, Identity, Question, Service } from '@assay/contracts/define';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { type Bus, subjectOf } from './bus/bus.ts';
import { serviceIdentity } from './signature.ts';

/** After so long an answer is asked for again, beside the requests that still go by it. */
const freshMs = 5000;
/** No request goes by an older answer: it waits for the next one. */
const knownMs = 10_000;
const organizationsMax = 10_000;

/** The contract of the service that keeps the limits which organizations have of their own. */
export interface LimitKeeper extends Service {
  questions: { ownLimits: Question } & Record<string, Question>;
  events: { limitsChanged: Event } & Record<string, Event>;
}

/** One limit; undefined where there is none. */
export interface OrganizationLimit<Installation = number | undefined> {
  /** The setting of the installation: the limit of every organization without one of its own. */
  installation: Installation;
  /**
   * Returns the limit of an organization, at most ten seconds old, without waiting where it is known.
   * Never fails: where its keeper does not answer, the last known one holds, or else the
   * installation's.
   */
  of(organizationId: string): number | Installation | Promise<number | Installation>;
  /**
   * Returns the limit as far as it is known, and asks beside: for what cannot wait, and goes on to
   * the next request.
   */
  now(organizationId: string): number | Installation;
}

interface KnownLimits {
  limits: Record<string, number | undefined>;
  askedAtMs: number;
}

/**
 * The limits that organizations have of their own, which their keeper is asked for. A change counts
 * as soon as it is announced, and within ten seconds where the announcement is lost.
 */
export function createOrganizationLimits<Keeper extends LimitKeeper>({
  bus,
  keeper,
}: {
  bus: Bus;
  keeper: Keeper;
}) {
  const { ownLimits } = bus.asks(keeper as LimitKeeper)[keeper.name] as Asks<LimitKeeper>;
  const known = new LRUCache<string, KnownLimits>({ max: organizationsMax });
  const asking = new Map<string, Promise<KnownLimits>>();

  bus.subscribeInEveryProcess(
    subjectOf(bus.options.prefix, 'event', keeper.name, 'limitsChanged'),
    (payload) => outdate((payload as { organizationId: string }).organizationId),
  );

  /** Known limits still hold where the keeper does not answer. */
  function outdate(organizationId: string): void {
    // An answer under way may be the old one.
    asking.delete(organizationId);
    const old = known.get(organizationId);
    if (old) known.set(organizationId, { ...old, askedAtMs: Number.NEGATIVE_INFINITY });
  }

  function askOnce(organizationId: string): Promise<KnownLimits> {
    const underWay = asking.get(organizationId);
    if (underWay) return underWay;
    const askedAtMs = performance.now();
    const answer: Promise<KnownLimits> = ask(serviceIdentity(organizationId)).then((limits) => {
      const current = { limits: limits ?? known.get(organizationId)?.limits ?? {}, askedAtMs };
      if (asking.get(organizationId) !== answer) return current;
      asking.delete(organizationId);
      known.set(organizationId, current);
      return current;
    });
    asking.set(organizationId, answer);
    return answer;
  }

  /** Undefined where there is no answer: a limit never makes a request fail. */
  const ask = (identity: Identity): Promise<KnownLimits['limits'] | undefined> =>
    ownLimits(identity, {}).then(
      (limits) => limits as KnownLimits['limits'],
      () => undefined,
    );

  function recall(organizationId: string): KnownLimits | undefined {
    const recalled = known.get(organizationId);
    if (!recalled || performance.now() - recalled.askedAtMs >= freshMs)
      void askOnce(organizationId);
    return recalled;
  }

  /** Names one limit, and the setting of the installation in whose place it stands. */
  return function limitOf<Installation extends number | undefined>(
    name: keyof Limits<Keeper> & string,
    installation: Installation,
  ): OrganizationLimit<Installation> {
    const among = ({ limits }: KnownLimits): number | Installation => limits[name] ?? installation;
    return {
      installation,
      of: (organizationId) => {
        const recalled = recall(organizationId);
        return recalled && performance.now() - recalled.askedAtMs < knownMs
          ? among(recalled)
          : askOnce(organizationId).then(among);
      },
      now: (organizationId) => {
        const recalled = recall(organizationId);
        return recalled ? among(recalled) : installation;
      },
    };
  };
}

type Limits<Keeper extends LimitKeeper> = z.output<Keeper['questions']['ownLimits']['reply']>;
