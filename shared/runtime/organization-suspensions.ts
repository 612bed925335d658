import type { Asks, Event, Question, Service } from '@assay/contracts/define';
import { createAnnouncedAnswers } from './announced-answers.ts';
import type { Bus } from './bus/bus.ts';
import { subjectOf } from './bus/subjects.ts';

/** The contract of the service that keeps which organizations are suspended. */
export interface SuspensionKeeper extends Service {
  questions: { suspension: Question } & Record<string, Question>;
  events: { suspensionChanged: Event } & Record<string, Event>;
}

/** Whether an organization is suspended: nothing that costs is done for it then. */
export type IsSuspended = (organizationId: string) => boolean | Promise<boolean>;

/**
 * Tells whether an organization is suspended, at most ten seconds late. Never fails: where the
 * keeper does not answer, the last known answer holds, and without one it is not suspended.
 */
export function createOrganizationSuspensions<Keeper extends SuspensionKeeper>({
  bus,
  keeper,
}: {
  bus: Bus;
  keeper: Keeper;
}): IsSuspended {
  const { suspension } = bus.asks(keeper as SuspensionKeeper)[
    keeper.name
  ] as Asks<SuspensionKeeper>;
  const answers = createAnnouncedAnswers<{ isSuspended: boolean }>({
    bus,
    ask: (identity) => suspension(identity, {}) as Promise<{ isSuspended: boolean }>,
    changedSubject: subjectOf(bus.options.prefix, 'event', keeper.name, 'suspensionChanged'),
  });
  return (organizationId) => {
    const answer = answers.of(organizationId);
    return answer instanceof Promise ? answer.then(isSuspendedBy) : isSuspendedBy(answer);
  };
}

const isSuspendedBy = (answer: { isSuspended: boolean } | undefined): boolean =>
  answer?.isSuspended ?? false;
