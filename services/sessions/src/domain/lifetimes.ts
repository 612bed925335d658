const minute = 60_000;

/** A signed upload URL is valid so long (contract section 2, Session attachments). */
export const uploadMs = 15 * minute;

/** A signed download URL. */
export const downloadMs = 5 * minute;

/**
 * After an upload URL's expiry its bytes can still be committed for so long: the bytes may have
 * been slow.
 */
const commitMs = 60 * minute;

/**
 * After an upload URL's expiry its bytes are kept from removal for so long: longer than any commit
 * may still be under way.
 */
export const claimMs = 2 * commitMs;

/** What an import brought is kept so long for its end, before it counts as forgotten. */
export const arrivingMs = 24 * 60 * minute;

/** Can an upload whose URL expires at this time still be kept and committed? */
export const isOpen = ({ expiresAt }: { expiresAt: Date }, now: Date): boolean =>
  expiresAt.getTime() + commitMs > now.getTime();

/**
 * The uploads that are open now are those whose URL expires after the instant that this returns.
 */
export const openSince = (now: Date): Date => after(now, -commitMs);

export const after = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms);
