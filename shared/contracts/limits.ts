import { z } from 'zod';
import { question } from './define.ts';
import { exampleInstant } from './examples.ts';
import { count, timestamp } from './fields.ts';

const usd = () => z.number().min(0);

/**
 * The limits that the operator has set for one organization alone. Where one is left out,
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
    /** Requests in a minute, to all gateways together. */
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

const counted = z.object({
  used: z.number(),
  /** Null where the installation has none. */
  installationLimit: z.number().nullable(),
  /** Of a count by the day. */
  resetsAt: z.string().optional(),
});
export type CountedUsage = z.infer<typeof counted>;

/** The question of identity to the service that counts for a limit. */
export const usageQuestion = (about: string) =>
  question({ summary: about, payload: z.object({}), reply: counted });

const used = (schema: z.ZodNumber) => schema.meta({ description: 'How much there is.' });
const limit = () =>
  z.number().min(0).nullable().meta({ description: 'Null where there is no limit.' });
const resetsAt = () =>
  timestamp().meta({ description: 'When the count begins anew: at midnight UTC.' });

/** The usage of an organization, and its limits. */
export const organizationUsage = z
  .object({
    records: z
      .object({ used: used(count()), limit: limit() })
      .meta({ description: 'Records in all runs.' }),
    attachmentBytes: z
      .object({ used: used(count()), limit: limit() })
      .meta({ description: 'Bytes of all attachments, declared ones included.' }),
    traceBytesPerDay: z
      .object({ used: used(count()), limit: limit(), resetsAt: resetsAt() })
      .meta({ description: 'Bytes of spans of this day, in protobuf and not compressed.' }),
    judgeUsdPerDay: z
      .object({ used: used(usd()), limit: limit(), resetsAt: resetsAt() })
      .meta({ description: 'US dollars for judges on this day, previews included.' }),
    requestsPerMinute: z
      .object({
        limit: z.int().min(1).meta({
          description: 'What is left of it stands in the `RateLimit` headers of each reply alone.',
        }),
      })
      .meta({ description: 'Requests in a minute. How many were sent is not told here.' }),
  })
  .meta({
    id: 'OrganizationUsage',
    examples: [
      {
        records: { used: 120_000, limit: 5_000_000 },
        attachmentBytes: { used: 48_000_000, limit: null },
        traceBytesPerDay: { used: 2_500_000, limit: 10_737_418_240, resetsAt: exampleInstant },
        judgeUsdPerDay: { used: 3.2, limit: 25, resetsAt: exampleInstant },
        requestsPerMinute: { limit: 1_200_000 },
      },
    ],
  });
export type OrganizationUsage = z.infer<typeof organizationUsage>;

/** The usage that each limit bounds. */
export const usageOfLimit = {
  recordsMax: 'records',
  attachmentsBytesMax: 'attachmentBytes',
  traceBytesPerDayMax: 'traceBytesPerDay',
  requestsPerMinute: 'requestsPerMinute',
  judgeBudgetUsdPerDay: 'judgeUsdPerDay',
} as const satisfies Record<LimitName, keyof OrganizationUsage>;
