import { z } from 'zod';
import { operation } from '../define.ts';
import { timestamp } from '../fields.ts';
import { role } from './role.ts';

export const unknownSecret = z.object({
  outcome: z.literal('unknown'),
  /**
   * The secret is good, but its organization is suspended. Not an outcome of its own: a gateway of
   * 0.2.0 refuses the secret as an unknown one.
   */
  isSuspended: z.boolean().optional(),
});

export const sessionToVerify = z.object({ secretHash: z.string().max(128) });

export const verifiedSession = z.discriminatedUnion('outcome', [
  unknownSecret,
  z.object({
    outcome: z.literal('valid'),
    organizationId: z.string(),
    userId: z.string(),
    /** The key that began the session, or null where a one-time token did. */
    apiKeyId: z.string().nullable(),
    browserSessionId: z.string(),
    role,
    /**
     * The hash of its second secret. Processes before 0.3.0 know none, and their sessions are of no
     * use to others.
     */
    consoleSecretHash: z.string().optional(),
    /** Milliseconds since 1970. */
    expiresAtMs: z.number(),
  }),
]);
export type VerifiedSession = z.infer<typeof verifiedSession>;

/** How long a browser session lasts at most, in seconds. */
export const browserSessionSecondsMax = 7 * 24 * 60 * 60;

/** How long a browser session lasts without a request, in seconds. */
export const browserSessionIdleSecondsMax = 12 * 60 * 60;

/** The operations of browser sessions. */
export const browserSessionOperations = {
  createBrowserSession: operation({
    method: 'POST',
    path: '/session',
    summary: 'Sign a browser in, by an API key or by the one-time token of a link',
    access: 'anyone',
    body: z
      .object({
        token: z.string().max(128).meta({
          description:
            'The token of a sign-in link or an invitation, where no API key is sent. An invited person becomes a member.',
        }),
      })
      .optional(),
    bodyBytesMax: 4096,
    status: 204,
    sessionCookie: true,
    failures: ['UNAUTHORIZED'],
    example: { body: { token: 'al_…' } },
  }),
  createDownload: operation({
    method: 'POST',
    path: '/session/downloads',
    summary: 'Sign an address by which the browser downloads one object, within five minutes',
    description:
      'A browser follows a link without the second secret of its session. The address works for one object, five minutes long, until the session ends.',
    body: z.object({
      path: z
        .string()
        .max(4096)
        .regex(/^\/[^/\\]/, 'must be a path below /v2, such as /runs/…/records/export?format=csv')
        .meta({ description: 'The path of the object below `/v2`, with its query.' }),
    }),
    bodyBytesMax: 16_384,
    reply: z.object({
      path: z.string().meta({ description: 'The same path with its signature.' }),
      expiresAt: timestamp().meta({ description: 'Until when it works.' }),
    }),
    status: 201,
    failures: ['NOT_FOUND'],
    example: {
      body: { path: '/runs/0198c0de-0000-7000-8000-000000000007/records/export?format=csv' },
    },
  }),
  deleteBrowserSession: operation({
    method: 'DELETE',
    path: '/session',
    summary: 'Sign the browser out; every gateway refuses its session within a second',
    status: 204,
    sessionCookie: true,
    failures: ['NOT_FOUND'],
  }),
};
