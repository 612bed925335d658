import type { Announcements, Identity, Service } from '@assay/contracts/define';
import { newId } from '../ids.ts';
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
/** After publishing failed. */
const retryMs = 2000;
/** A commit wakes the relay of its process: only events of a killed process wait so long. */
const pollMs = 10_000;

export interface Outbox<Contract extends Service> {
  announce: Announcements<Contract>;
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
  const relay = createRelay(async () => {
    while (bus.isConnected()) {
      const waiting = await messages.find().sort({ _id: 1 }).limit(batch).toArray();
      for (const { _id, ...message } of waiting)
        await streams.publishEvent({ ...message, eventId: _id });
      if (waiting.length > 0)
        await messages.deleteMany({ _id: { $in: waiting.map(({ _id }) => _id) } });
      if (waiting.length < batch) return true;
    }
    return false;
  }, log);

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
    database.afterCommit(relay.wake);
  };
  return {
    announce: Object.fromEntries(
      Object.keys(contract.events).map((event) => [event, announce(event)]),
    ) as Announcements<Contract>,
    stop: relay.stop,
  };
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

/**
 * Runs `work` when woken and every few seconds, never twice at once. `work` says whether nothing is
 * left to do.
 */
function createRelay(
  work: () => Promise<boolean>,
  log: Log,
): { wake: () => void; stop: () => Promise<void> } {
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  const wake = () => {
    if (stopped) return;
    if (running) {
      again = true;
      return;
    }
    clearTimeout(timer);
    running = work()
      .catch((error) => {
        log.warn({ err: error }, 'announcing will be tried again');
        return false;
      })
      .then((isDone) => {
        running = undefined;
        if (!stopped) timer = setTimeout(wake, isDone ? pollMs : retryMs);
        if (again) {
          again = false;
          wake();
        }
      });
  };
  // Events that an earlier process left are published soon.
  let timer = setTimeout(wake, retryMs);
  return {
    wake,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
