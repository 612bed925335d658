import type { Announcements, Identity, Service } from '@assay/contracts/define';
import { createDueWork } from '../concurrency/due-work.ts';
import { instantOf, newId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Database } from '../mongo/database.ts';
import type { Bus } from './bus.ts';
import type { Streams } from './streams.ts';

interface OutboxMessage {
  _id: string;
  service: string;
  event: string;
  /**
   * Signed when it is published: an event that waits while the secret changes is as good as any
   * other.
   */
  identity: Identity;
  payload: string;
}

const batch = 100;
const pollMs = 2000;

export interface Outbox<Contract extends Service> {
  announce: Announcements<Contract>;
  /** The age of the oldest event that is not published yet; 0 where there is none. */
  oldestSeconds(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Events leave through here: written in the transaction of the change, published with the event's
 * id after the commit, then removed. A crash between leaves them to the relay of the next start, or
 * of another replica; the id keeps a repeat from counting twice.
 */
export function createOutbox<Contract extends Service>({
  contract,
  database,
  bus,
  streams,
  log,
}: {
  contract: Contract;
  database: Database;
  bus: Bus;
  streams: Streams;
  log: Log;
}): Outbox<Contract> {
  const messages = database.collection<OutboxMessage>('outbox');

  async function publishOf(organizationId: string): Promise<boolean> {
    if (!bus.isConnected()) return false;
    const waiting = await messages
      .find({ 'identity.organizationId': organizationId })
      .sort({ _id: 1 })
      .limit(batch)
      .toArray();
    const published: string[] = [];
    try {
      for (const { _id, ...message } of waiting) {
        await streams.publishEvent({ ...message, eventId: _id });
        published.push(_id);
      }
    } finally {
      if (published.length > 0) await messages.deleteMany({ _id: { $in: published } });
    }
    return waiting.length === batch;
  }

  const relay = createDueWork({
    organizations: () =>
      messages.distinct('identity.organizationId', { 'identity.organizationId': { $gt: '' } }),
    work: publishOf,
    failure: 'announcing will be tried again',
    log,
    everyMs: pollMs,
  });
  relay.start();

  const announce = (event: string) => async (identity: Identity, payload: unknown) => {
    if (!database.isInTransaction())
      throw new Error(`${event} was announced outside the transaction of its change`);
    await messages.insertOne({
      _id: newId(),
      service: contract.name,
      event,
      identity,
      payload: JSON.stringify(payload),
    });
    database.afterCommit(() => relay.wake(identity.organizationId));
  };
  return {
    announce: Object.fromEntries(
      Object.keys(contract.events).map((event) => [event, announce(event)]),
    ) as Announcements<Contract>,
    oldestSeconds: async () => {
      const oldest = await messages.findOne({}, { sort: { _id: 1 }, projection: { _id: 1 } });
      return oldest ? Math.max(0, Date.now() - instantOf(oldest._id).getTime()) / 1000 : 0;
    },
    stop: relay.stop,
  };
}

/** Those of an organization, in their order, are found without those of the others. */
export async function indexOutbox(database: Database): Promise<void> {
  await database
    .collection<OutboxMessage>('outbox')
    .createIndex({ 'identity.organizationId': 1, _id: 1 });
}

/** Before 0.2.0 events were signed when they were written: `<caller>.<signature>.<request id>`. */
export async function unsealOutbox(database: Database): Promise<void> {
  const messages = database.collection<Omit<OutboxMessage, 'identity'> & { identity: unknown }>(
    'outbox',
  );
  for (const { _id, identity } of await messages
    .find({ identity: { $type: 'string' } })
    .toArray()) {
    const [caller = '', , ...requestId] = String(identity).split('.');
    const { issuedAt: _issuedAt, ...known } = JSON.parse(
      Buffer.from(caller, 'base64url').toString(),
    );
    await messages.updateOne(
      { _id },
      { $set: { identity: { ...known, requestId: requestId.join('.') } } },
    );
  }
}
