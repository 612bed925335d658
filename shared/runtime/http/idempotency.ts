import { createHash } from 'node:crypto';
import {
  type IdempotencyKey,
  type Identity,
  isReadOnly,
  type List,
  type Operation,
  type Service,
} from '@assay/contracts/define';
import { conflict, Failure, invalidAt } from '@assay/contracts/failure';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../mongo/database.ts';
import { isDuplicateKey } from '../mongo/errors.ts';
import { usedWithAnotherBody } from './failures.ts';
import { consoleHeader, type Reply, sessionSecretHeader } from './reply.ts';

/** How long an outcome is remembered (contract section 1, Idempotency). */
export const rememberedMs = 24 * 60 * 60 * 1000;

interface KeyDocument {
  _id: string;
  /** Keys of a process before 0.3.0 have none. */
  organizationId?: string;
  bodyHash: string;
  expiresAt: Date;
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface Call {
  definition: Operation | List;
  identity: Identity;
  request: FastifyRequest;
  bytes: Buffer | undefined;
  run: (key: IdempotencyKey | undefined) => Promise<unknown>;
  reply: (value: unknown) => Reply;
}

/** Runs an operation once for each Idempotency-Key: a repeat gets the first answer. */
export type Idempotency = (call: Call) => Promise<Reply>;

/**
 * Writes the key first in the transaction of the write that it guards. So a crash undoes both, and
 * a repeat that arrives while the first request is in progress meets a write conflict, and waits in
 * the transaction's own retries until the first request is done. An operation that takes longer
 * than a transaction may claims its key instead, and remembers its outcome when it is done.
 */
export function createIdempotency(database: Database): Idempotency {
  const keys = database.collection<KeyDocument>('idempotency');

  return async (call) => {
    const { definition, run, reply } = call;
    const key = keyOf(call);
    if (!key) return reply(await run(undefined));
    if (definition.commitsIdempotencyKey)
      return replayable(reply, (await run(key)) as { replayed?: boolean });
    const remembered = await keys.findOne({ _id: key.id, status: { $gt: 0 } });
    if (remembered) return replay(remembered, key);
    return definition.takesLong ? runClaimed(call, key) : runInTransaction(call, key);
  };

  async function runInTransaction(call: Call, key: IdempotencyKey): Promise<Reply> {
    let isOurs = false;
    try {
      return await database.transaction(async () => {
        isOurs = false;
        await keys.insertOne(claimOf(key));
        isOurs = true;
        const answer = call.reply(await call.run(undefined));
        await remember(call, key, answer);
        return answer;
      });
    } catch (error) {
      if (isOurs) throw error;
      const winner = isDuplicateKey(error) ? await keys.findOne({ _id: key.id }) : null;
      if (winner) return replay(winner, key);
      throw error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE'
        ? stillUnderWay()
        : error;
    }
  }

  async function runClaimed(call: Call, key: IdempotencyKey): Promise<Reply> {
    const winner = await claim(key);
    if (winner) return replay(winner, key);
    try {
      const answer = call.reply(await call.run(undefined));
      await remember(call, key, answer);
      return answer;
    } catch (error) {
      await keys.deleteOne({ _id: key.id, status: 0 });
      throw error;
    }
  }

  /**
   * Returns undefined if the key is ours now, else awaits the outcome of the request that has it.
   * Takes over a claim left by a crash.
   */
  async function claim(key: IdempotencyKey): Promise<KeyDocument | undefined> {
    const deadline = performance.now() + waitMaxMs;
    for (;;) {
      try {
        await keys.replaceOne(
          {
            _id: key.id,
            status: 0,
            expiresAt: { $lt: new Date(Date.now() + rememberedMs - claimedMs) },
          },
          claimOf(key),
          { upsert: true },
        );
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const existing = await keys.findOne({ _id: key.id });
      if (existing && existing.status > 0) return existing;
      if (performance.now() > deadline) throw stillUnderWay();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function remember({ definition }: Call, key: IdempotencyKey, answer: Reply): Promise<void> {
    const { status, headers: all = {} } = answer;
    // Shown once, as the fields that `shownOnce` names are.
    const { [sessionSecretHeader]: _secret, [consoleHeader]: _second, ...headers } = all;
    await keys.updateOne(
      { _id: key.id },
      { $set: { status, headers, body: rememberedBody(definition, answer) } },
    );
  }
}

/** How long a repeat waits for the first request (contract section 1). */
const waitMaxMs = 10_000;

/** After this, who claimed a key and remembered nothing must have crashed. */
const claimedMs = 15 * 60_000;

/** A key whose outcome is not known yet. */
const claimOf = ({ id, organizationId, bodyHash }: IdempotencyKey): KeyDocument => ({
  _id: id,
  organizationId,
  bodyHash,
  expiresAt: new Date(Date.now() + rememberedMs),
  status: 0,
  headers: {},
  body: '',
});

/**
 * For a service without a database, whose POSTs commit their keys themselves.
 * @throws where one does not: a repeat of it would run again.
 */
export function createIdempotencyWithoutDatabase({ name, operations }: Service): Idempotency {
  for (const [operation, { method, commitsIdempotencyKey }] of Object.entries(operations))
    if (method === 'POST' && !commitsIdempotencyKey)
      throw new Error(`${name}.${operation} must commit its Idempotency-Key itself`);
  return async (call) =>
    replayable(call.reply, (await call.run(keyOf(call))) as { replayed?: boolean });
}

/**
 * Finds the replies to an organization's requests in which a text stands, such as an id. Those of a
 * process before 0.3.0 have no organization.
 */
export const rememberedRepliesWith = (organizationId: string, text: string) => ({
  organizationId: { $in: [organizationId, null] },
  body: { $regex: text.replaceAll(/[^\w-]/g, '.') },
});

/** The index that forgets keys when their time is over. */
export async function indexIdempotencyKeys(database: Database): Promise<void> {
  await database.collection('idempotency').createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
}

/**
 * Only a POST of the API has one. A caller without an organization has no scope of its own in which a key
 * could be remembered.
 */
function keyOf({ definition, request, identity, bytes }: Call): IdempotencyKey | undefined {
  if (definition.method !== 'POST' || definition.bytes) return undefined;
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const key = String(given);
  if (key.length < 1 || key.length > 255)
    throw invalidAt('Idempotency-Key', 'must have from 1 to 255 characters');
  if (identity.role === 'anonymous' || isReadOnly(definition)) return undefined;
  // A repeat would be known by its body's hash, and a streamed body is gone by the time that it is
  // known.
  if (definition.streams && !definition.commitsIdempotencyKey)
    throw invalidAt('Idempotency-Key', 'cannot be used with a streamed body');
  const path = request.url.split('?')[0]!;
  return {
    organizationId: identity.organizationId,
    id: sha256([identity.organizationId, request.method, path, key].join('\n')),
    bodyHash: sha256(bytes ?? ''),
  };
}

const sha256 = (data: string | Buffer): string =>
  createHash('sha256').update(data).digest('base64url');

const replayable = (reply: Call['reply'], value: { replayed?: boolean }): Reply =>
  value.replayed ? asReplay(reply(value)) : reply(value);

const asReplay = (answer: Reply): Reply => ({
  ...answer,
  headers: { ...answer.headers, 'idempotent-replayed': 'true' },
});

function replay({ bodyHash, status, headers, body }: KeyDocument, key: IdempotencyKey): Reply {
  if (bodyHash !== key.bodyHash) throw usedWithAnotherBody();
  return asReplay({ status, headers, body });
}

/**
 * Returns the body to remember, without the fields that are shown once: a secret must not lie in
 * the database.
 */
function rememberedBody({ shownOnce }: Operation | List, { body }: Reply): string {
  const text = String(body ?? '');
  if (!shownOnce) return text;
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(JSON.parse(text)).filter(([field]) => !shownOnce.includes(field)),
    ),
  );
}

const stillUnderWay = (): Failure =>
  conflict('The first request with this Idempotency-Key is still under way.', {
    retryAfterSeconds: 1,
  });
