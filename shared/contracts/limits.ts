import { z } from 'zod';
import { count } from './fields.ts';

const usd = () => z.number().min(0);

/**
 * What one organization may, where the operator has said so for it alone. Where a limit is left out,
 * the setting of the installation holds.
 */
export const ownLimits = z
  .object({
    /** Records in all runs. */
    recordsMax: count(),
    /** Bytes of all attachments, declared ones included. */
    attachmentsBytesMax: count(),
    /** Bytes of spans on a day of UTC, in protobuf and not compressed. */
    traceBytesPerDayMax: count(),
    /** Requests in a minute, to each gateway process. */
    requestsPerMinute: z.int().min(1),
    /** US dollars for judges on a day of UTC, previews included. */
    judgeBudgetUsdPerDay: usd(),
  })
  .partial();
export type OwnLimits = z.infer<typeof ownLimits>;
export type LimitName = keyof OwnLimits;

/** Limits to set. Null takes one back, so that the setting of the installation holds again. */
export const limitChange = z
  .object({
    recordsMax: count().nullable(),
    attachmentsBytesMax: count().nullable(),
    traceBytesPerDayMax: count().nullable(),
    requestsPerMinute: z.int().min(1).nullable(),
    judgeBudgetUsdPerDay: usd().nullable(),
  })
  .partial();
export type LimitChange = z.infer<typeof limitChange>;
