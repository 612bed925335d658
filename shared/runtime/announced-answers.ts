import type { Identity } from '@assay/contracts/define';
import { LRUCache } from 'lru-cache';
import type { Bus } from './bus/bus.ts';
import { serviceIdentity } from './signature.ts';

/** After so long an answer is asked for again, beside the requests that still go by it. */
const freshMs = 5000;
/** No request goes by an older answer: it waits for the next one. */
const knownMs = 10_000;
const organizationsMax = 10_000;

interface KnownAnswer<Answer> {
  /** Undefined where the keeper has not answered yet. */
  answer: Answer | undefined;
  askedAtMs: number;
}

/**
 * What another service keeps about organizations, which it is asked for. A change counts as soon as
 * it is announced, and within ten seconds where the announcement is lost. Never fails: where the
 * keeper does not answer, the last known answer holds, and undefined where there is none.
 */
export function createAnnouncedAnswers<Answer>({
  bus,
  ask,
  changedSubject,
}: {
  bus: Bus;
  ask: (identity: Identity) => Promise<Answer>;
  /** The subject of the event that names the organization for which the answer is another. */
  changedSubject: string;
}) {
  const known = new LRUCache<string, KnownAnswer<Answer>>({ max: organizationsMax });
  const asking = new Map<string, Promise<KnownAnswer<Answer>>>();

  bus.subscribeInEveryProcess(changedSubject, (payload) =>
    outdate((payload as { organizationId: string }).organizationId),
  );

  /** A known answer still holds where the keeper does not answer. */
  function outdate(organizationId: string): void {
    // An answer under way may be the old one.
    asking.delete(organizationId);
    const old = known.get(organizationId);
    if (old) known.set(organizationId, { ...old, askedAtMs: Number.NEGATIVE_INFINITY });
  }

  function askOnce(organizationId: string): Promise<KnownAnswer<Answer>> {
    const underWay = asking.get(organizationId);
    if (underWay) return underWay;
    const askedAtMs = performance.now();
    const asked: Promise<KnownAnswer<Answer>> = askSafely(organizationId).then((answer) => {
      const current = { answer: answer ?? known.get(organizationId)?.answer, askedAtMs };
      if (asking.get(organizationId) !== asked) return current;
      asking.delete(organizationId);
      known.set(organizationId, current);
      return current;
    });
    asking.set(organizationId, asked);
    return asked;
  }

  /** Undefined where there is no answer. */
  const askSafely = (organizationId: string): Promise<Answer | undefined> =>
    ask(serviceIdentity(organizationId)).catch(() => undefined);

  function recall(organizationId: string): KnownAnswer<Answer> | undefined {
    const recalled = known.get(organizationId);
    if (!recalled || performance.now() - recalled.askedAtMs >= freshMs)
      void askOnce(organizationId);
    return recalled;
  }

  return {
    /** Returns an answer that is at most ten seconds old, without waiting where it is known. */
    of(organizationId: string): Answer | undefined | Promise<Answer | undefined> {
      const recalled = recall(organizationId);
      return recalled && performance.now() - recalled.askedAtMs < knownMs
        ? recalled.answer
        : askOnce(organizationId).then(({ answer }) => answer);
    },
    /** Returns the answer as far as it is known, and asks beside. */
    now: (organizationId: string): Answer | undefined => recall(organizationId)?.answer,
  };
}
