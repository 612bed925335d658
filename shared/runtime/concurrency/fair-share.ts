/**
 * The amounts of one bounded resource that organizations hold: bytes of bodies, requests in
 * progress, uploads.
 */
export type FairShare = ReturnType<typeof createFairShare>;

/**
 * An organization may hold this many times the amount that all leave free, so one alone leaves an
 * eighth.
 */
const timesFree = 7;

/**
 * Shares a bound among organizations, so that none can take all of it. One alone may hold `bound`;
 * a reserve of a seventh on top of it is for the others, and the more of them hold something, the
 * smaller is the share of each. The rule is the dynamic threshold of Choudhury and Hahne (Dynamic
 * queue length thresholds for shared-memory packet switches, IEEE/ACM Transactions on Networking
 * 6(2), 1998).
 */
export function createFairShare(bound: number) {
  const held = new Map<string, number>();
  let heldByAll = 0;

  const hasRoom = (organizationId: string, amount: number): boolean => {
    const own = (held.get(organizationId) ?? 0) + amount;
    return own + timesFree * (heldByAll + amount) <= (timesFree + 1) * bound;
  };

  function add(organizationId: string, amount: number): void {
    const own = (held.get(organizationId) ?? 0) + amount;
    if (own > 0) held.set(organizationId, own);
    else held.delete(organizationId);
    heldByAll += amount;
  }

  return {
    hasRoom,
    /** Takes `amount`, whether there is room or not. */
    take: add,
    /** Takes `amount` where there is room for it; false where there is none. */
    tryToTake(organizationId: string, amount: number): boolean {
      if (!hasRoom(organizationId, amount)) return false;
      add(organizationId, amount);
      return true;
    },
    giveBack: (organizationId: string, amount: number): void => add(organizationId, -amount),
    /** Returns the amount that all organizations hold together. */
    heldByAll: (): number => heldByAll,
  };
}
