import { rememberedMs } from '../http/idempotency.ts';
import type { Database } from './database.ts';
import { isDuplicateKey } from './errors.ts';

/** The answer to an Idempotency-Key, and the hash of the body that it answered. */
export interface KeptAnswer {
  bodyHash: string;
  text: string;
}

type AnswerDocument = KeptAnswer & { _id: string; organizationId: string; expiresAt: Date };

/**
 * The first answers to requests with an Idempotency-Key, of a service whose operations commit their
 * keys themselves.
 */
export function createFirstAnswers(database: Database) {
  const answers = database.collection<AnswerDocument>('answers');

  async function find(organizationId: string, keyId: string): Promise<KeptAnswer | undefined> {
    const found = await answers.findOne({ _id: keyId, organizationId });
    return found ? { bodyHash: found.bodyHash, text: found.text } : undefined;
  }

  return {
    find,
    /** Keeps the answer for 24 hours, unless the key has one: returns the one that is kept. */
    async keepFirst(
      organizationId: string,
      keyId: string,
      answer: KeptAnswer,
    ): Promise<{ answer: KeptAnswer; isFirst: boolean }> {
      try {
        await answers.insertOne({
          _id: keyId,
          organizationId,
          ...answer,
          expiresAt: new Date(Date.now() + rememberedMs),
        });
        return { answer, isFirst: true };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return { answer: (await find(organizationId, keyId)) ?? answer, isFirst: false };
      }
    },
  };
}
