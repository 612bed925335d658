import type { Judgement } from '@assay/contracts/run-records';
import { callsOfVoteMax } from '@assay/contracts/scoring';
import { LRUCache } from 'lru-cache';

/** Money that may be spent, and how much of it is, in billionths of a US dollar. */
export interface Account {
  limitNanoUsd: number;
  spentNanoUsd: number;
}

/** Whose judgement is to be paid for, and which model is asked for it. */
export interface Purchase {
  metricVersionId: string;
  model: string;
}

/** One judgement that may be made. Given back when its cost stands in the account. */
export interface Permit {
  giveBack: () => void;
}

interface Waiting {
  purchase: Purchase;
  begin: (permit: Permit | undefined) => void;
}

export type Allowance = ReturnType<typeof createAllowance>;
export type Estimates = ReturnType<typeof createEstimates>;

/** Metric versions whose last cost is remembered. */
const knownMax = 10_000;

/**
 * Remembers what a call cost last for each metric version. The reservation for the next judgement is
 * that of all calls that it may take: its votes, each asked again for an answer that does not fit.
 */
export function createEstimates() {
  const known = new LRUCache<string, number>({ max: knownMax });
  return {
    of: (metricVersionId: string): number | undefined => known.get(metricVersionId),
    /** Votes from the cache take no call, and teach nothing. */
    learn({ metricVersionId, outcome }: Pick<Judgement, 'metricVersionId' | 'outcome'>): void {
      const { attempts, votes = 1 } = paidOf(outcome);
      if (attempts === 0) return;
      const calls = Math.max(attempts, votes * callsOfVoteMax);
      known.set(metricVersionId, Math.ceil((nanoCostOf(outcome) / attempts) * calls));
    },
  };
}

/**
 * Reserves money for judgements before they are made, in this process. Spending and reservations
 * together stay within the limit, as far as the next call costs as much as the last one. A
 * judgement of unknown cost begins alone. A model has at most `concurrency` judgements in progress,
 * so several processes that share an account overspend by the judgements in progress at most,
 * whatever they cost.
 */
export function createAllowance({
  estimates,
  concurrency,
}: {
  estimates: Estimates;
  concurrency: number;
}) {
  const underWay = new Set<Purchase>();
  const waiting = new Set<Waiting>();
  let account: Account = { limitNanoUsd: Number.POSITIVE_INFINITY, spentNanoUsd: 0 };
  const isSpent = () => account.spentNanoUsd >= account.limitNanoUsd;

  function mayBegin({ metricVersionId, model }: Purchase): boolean {
    // Less than one costs may be left: the limit is there to be reached.
    if (underWay.size === 0) return true;
    const calls = [...underWay].filter((other) => other.model === model).length;
    const reserved = [...underWay].reduce((sum, other) => sum + estimateOf(other), 0);
    return (
      calls < concurrency &&
      account.spentNanoUsd + reserved + estimateOf({ metricVersionId, model }) <=
        account.limitNanoUsd
    );
  }

  const estimateOf = ({ metricVersionId }: Purchase): number =>
    estimates.of(metricVersionId) ?? Number.POSITIVE_INFINITY;

  function begin(): void {
    for (const turn of waiting) {
      if (isSpent()) turn.begin(undefined);
      else if (mayBegin(turn.purchase)) turn.begin(permitOf(turn.purchase));
    }
  }

  function permitOf(purchase: Purchase): Permit {
    underWay.add(purchase);
    return {
      giveBack: () => {
        underWay.delete(purchase);
        begin();
      },
    };
  }

  return {
    isSpent,

    /**
     * Sets the limit and the spending, as the account's owner reports them. Spending never
     * decreases: a lower figure is late and ignored.
     */
    update({ limitNanoUsd, spentNanoUsd }: Account): void {
      account = { limitNanoUsd, spentNanoUsd: Math.max(spentNanoUsd, account.spentNanoUsd) };
      begin();
    },

    /**
     * Waits until a judgement may be made; undefined when nothing is left. @throws the signal's
     * reason when it is aborted before.
     */
    take(purchase: Purchase, signal?: AbortSignal): Promise<Permit | undefined> {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const leave = () => {
          waiting.delete(turn);
          reject(signal!.reason);
        };
        const turn: Waiting = {
          purchase: { ...purchase },
          begin: (permit) => {
            waiting.delete(turn);
            signal?.removeEventListener('abort', leave);
            resolve(permit);
          },
        };
        signal?.addEventListener('abort', leave, { once: true });
        waiting.add(turn);
        begin();
      });
    },
  };
}

/** Allowances by name, each kept as long as it is in use. */
export function createAllowances(parts: Parameters<typeof createAllowance>[0]) {
  const open = new Map<string, { allowance: Allowance; users: number }>();
  return {
    async use<Result>(
      name: string,
      work: (allowance: Allowance) => Promise<Result>,
    ): Promise<Result> {
      const entry = open.get(name) ?? { allowance: createAllowance(parts), users: 0 };
      open.set(name, entry);
      entry.users++;
      try {
        return await work(entry.allowance);
      } finally {
        if (--entry.users === 0) open.delete(name);
      }
    },
  };
}

const paidOf = (outcome: Judgement['outcome']): { attempts: number; votes?: number | undefined } =>
  outcome.kind === 'failure' ? outcome : outcome.provenance;

/**
 * Returns the cost of a judgement in billionths of a US dollar: whole numbers, as in the accounts.
 */
export function nanoCostOf(outcome: Judgement['outcome']): number {
  const costUsd = outcome.kind === 'failure' ? outcome.costUsd : outcome.provenance.costUsd;
  return nanoUsd(costUsd ?? 0);
}

export const nanoUsd = (usd: number): number => Math.round(usd * 1e9);
