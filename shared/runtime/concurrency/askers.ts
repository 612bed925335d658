/** How long an organization that asked counts as one beside which others work. */
const besideMs = 10_000;

/** Who asks for work of some kind. */
export interface Askers {
  note(organizationId: string): void;
  /** Notes that others ask elsewhere in the installation. */
  noteOthers(): void;
  /** Whether more than one organization asked within ten seconds. */
  areSeveral(): boolean;
}

export function createAskers(): Askers {
  let last = '';
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let otherAtMs = Number.NEGATIVE_INFINITY;
  return {
    note(organizationId) {
      if (organizationId !== last) otherAtMs = Math.max(otherAtMs, lastAtMs);
      last = organizationId;
      lastAtMs = performance.now();
    },
    noteOthers() {
      otherAtMs = performance.now();
    },
    areSeveral: () => performance.now() - otherAtMs < besideMs,
  };
}
