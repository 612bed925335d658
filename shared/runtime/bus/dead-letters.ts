import type { StoredMsg } from 'nats';
import { identityHeader, organizationOf } from '../signature.ts';
import type { Bus } from './bus.ts';
import { isMissing } from './job-queues.ts';
import { headersOf } from './sealed-messages.ts';
import { deadStreamOf } from './stream-names.ts';

/** A message that a service gave up, as its letter keeps it. */
export interface DeadLetter {
  /** Its place in the stream of dead letters. */
  number: number;
  time: Date;
  /** Of the message itself, without the installation's prefix: `event.<service>.<event>`. */
  message: string;
  /** For whom the message was signed, as it says itself; undefined where it does not. */
  organizationId: string | undefined;
  reason: string;
  attempts: number;
  payload: string;
}

/** A letter as the stream has it: the message is whole, its headers too. */
interface StoredLetter {
  subject: string;
  reason: string;
  attempts: number;
  headers: Record<string, string>;
  payload: string;
}

/** The dead letters of an installation, which their stream keeps for 30 days. */
export async function openDeadLetters({ connection, options: { prefix } }: Bus) {
  const stream = deadStreamOf(prefix);
  const manager = await connection.jetstreamManager();

  const read = (number: number): Promise<StoredMsg | undefined> =>
    manager.streams.getMessage(stream, { seq: number }).catch(isMissing);

  return {
    /** The numbers of all letters, the oldest first. */
    async numbers(): Promise<number[]> {
      const info = await manager.streams.info(stream, { deleted_details: true }).catch(isMissing);
      if (!info) return [];
      const { first_seq: first, last_seq: last, deleted = [] } = info.state;
      const gone = new Set(deleted);
      return Array.from(
        { length: Math.max(0, last - first + 1) },
        (_, place) => first + place,
      ).filter((number) => !gone.has(number));
    },

    /** The letter with this number; undefined where there is none. */
    async find(number: number): Promise<DeadLetter | undefined> {
      const stored = await read(number);
      if (!stored) return undefined;
      const { subject, headers, ...letter } = stored.json<StoredLetter>();
      return {
        ...letter,
        number,
        time: stored.time,
        message: subject.slice(prefix.length + 1),
        organizationId: organizationOf(headers[identityHeader]),
      };
    },

    /**
     * Publishes the message again as it was, signature and all, and removes its letter. The letter
     * stays where the stream of the message drops it, as it does with one that it had lately.
     */
    async sendAgain(number: number): Promise<'sent' | 'dropped' | 'missing'> {
      const stored = await read(number);
      if (!stored) return 'missing';
      const { subject, headers, payload } = stored.json<StoredLetter>();
      const { duplicate } = await connection
        .jetstream()
        .publish(subject, payload, { headers: headersOf(headers) });
      if (duplicate) return 'dropped';
      await manager.streams.deleteMessage(stream, number);
      return 'sent';
    },
  };
}
