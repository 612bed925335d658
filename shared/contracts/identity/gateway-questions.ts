import { z } from 'zod';
import { question } from '../define.ts';
import { count } from '../fields.ts';
import { sessionToVerify, unknownSecret, verifiedSession } from './browser-sessions.ts';
import { role } from './role.ts';

export const keyToVerify = z.object({ keyHash: z.string().max(128) });

/** Hashes of secrets in one question. */
export const heldSecretsMax = 500;
const hashesOfSecrets = z.array(z.string().max(128)).max(heldSecretsMax);

export const verifiedKey = z.discriminatedUnion('outcome', [
  unknownSecret,
  z.object({
    outcome: z.literal('valid'),
    organizationId: z.string(),
    userId: z.string(),
    apiKeyId: z.string(),
    role,
    /** Milliseconds since 1970, or null when the key does not expire. */
    expiresAtMs: z.number().nullable(),
  }),
]);
export type VerifiedKey = z.infer<typeof verifiedKey>;

/** Requests that a gateway asks for, and those of earlier ones that it gives back. */
const requestWish = z.object({
  limit: z.int().min(1),
  wanted: z.int().min(1),
  /** Of requests that were granted in this minute, and are not needed. */
  returned: count(),
});
export type RequestWish = z.infer<typeof requestWish>;

/** The requests that this gateway may let through, and those of all gateways so far. */
const takenRequests = z.object({
  /** None where the minute is full. */
  granted: count(),
  /** By all gateways, these included. */
  taken: count(),
  resetsInMs: z.int().min(0),
});
export type TakenRequests = z.infer<typeof takenRequests>;

/** Who calls, and how often: asked by the gateway alone. */
export const gatewayQuestions = {
  verifyKey: question({
    summary: 'Whose key has this SHA-256; asked by the gateway',
    payload: keyToVerify,
    reply: verifiedKey,
  }),
  verifySession: question({
    summary: 'Whose browser session has the secret with this SHA-256; asked by the gateway',
    payload: sessionToVerify,
    reply: verifiedSession,
  }),
  findHeldSecrets: question({
    summary:
      'Which of these SHA-256 are of a key or a browser session that there is; asked by the gateway when many come that nobody has',
    payload: z.object({ secretHashes: hashesOfSecrets }),
    reply: z.object({ held: hashesOfSecrets }),
  }),
  takeRequests: question({
    summary:
      "Take requests out of the organization's minute, which its gateways share; asked by the gateway",
    payload: requestWish,
    reply: takenRequests,
    /** Short: a request waits for it, and is counted by its gateway alone where it does not come. */
    timeoutMs: 500,
  }),
};
