import type { Asks, Event, Question, Service } from '@assay/contracts/define';
import type { z } from 'zod';
import { createAnnouncedAnswers } from './announced-answers.ts';
import type { Bus } from './bus/bus.ts';
import { subjectOf } from './bus/subjects.ts';

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

type KnownLimits = Record<string, number | undefined>;

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
  const answers = createAnnouncedAnswers<KnownLimits>({
    bus,
    ask: (identity) => ownLimits(identity, {}) as Promise<KnownLimits>,
    changedSubject: subjectOf(bus.options.prefix, 'event', keeper.name, 'limitsChanged'),
  });

  /** Names one limit, and the setting of the installation in whose place it stands. */
  return function limitOf<Installation extends number | undefined>(
    name: keyof Limits<Keeper> & string,
    installation: Installation,
  ): OrganizationLimit<Installation> {
    const among = (limits: KnownLimits | undefined): number | Installation =>
      limits?.[name] ?? installation;
    return {
      installation,
      of: (organizationId) => {
        const limits = answers.of(organizationId);
        return limits instanceof Promise ? limits.then(among) : among(limits);
      },
      now: (organizationId) => among(answers.now(organizationId)),
    };
  };
}

type Limits<Keeper extends LimitKeeper> = z.output<Keeper['questions']['ownLimits']['reply']>;
