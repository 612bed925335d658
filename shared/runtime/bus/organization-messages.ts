import type { Service } from '@assay/contracts/define';
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  type MsgRequest,
  nanos,
} from 'nats';
import { identityHeader, organizationOf } from '../signature.ts';
import { type Bus, subjectOf } from './bus.ts';
import { isMissing, jobQueueOf, jobQueuesOf } from './job-queues.ts';

/** Messages that are asked for at once, and how long they are waited for. */
const fetchedMax = 500;
const fetchMs = 2000;
/** After so long, the consumer of a walk that was broken off is forgotten. */
const idleMs = 60_000;

interface Place {
  stream: string;
  seq: number;
}

export type OrganizationMessages = ReturnType<typeof createOrganizationMessages>;

/**
 * The messages of an organization that streams keep for a service: its events, its jobs, and the
 * dead letters of both.
 */
export function createOrganizationMessages({ bus, contract }: { bus: Bus; contract: Service }) {
  const { prefix } = bus.options;
  const upper = prefix.toUpperCase();
  const { name: service } = contract;

  async function* messagesOf(organizationId: string): AsyncGenerator<Place> {
    const manager = await bus.connection.jetstreamManager();
    yield* storedMessages({
      bus,
      manager,
      stream: `${upper}-EVENTS`,
      subject: subjectOf(prefix, 'event', service, '>'),
      isMeant: (message) => organizationOf(message.headers?.get(identityHeader)) === organizationId,
    });
    for (const kind of ['event', 'job'])
      yield* storedMessages({
        bus,
        manager,
        stream: `${upper}-DEAD`,
        subject: `${prefix}.dead.${kind}.${service}.>`,
        isMeant: (message) => organizationOfLetter(message) === organizationId,
      });
    for (const name of Object.keys(contract.jobs)) {
      // Where jobs stood before there were partitions, they are those of all.
      const queues = [
        jobQueuesOf(prefix, contract, name)[0]!,
        jobQueueOf(prefix, contract, { name, organizationId }),
      ];
      for (const queue of queues) yield* waitingJobs(manager, queue, organizationId);
    }
  }

  return {
    async count(organizationId: string): Promise<number> {
      let count = 0;
      for await (const _message of messagesOf(organizationId)) count += 1;
      return count;
    },
    async erase(organizationId: string): Promise<void> {
      const manager = await bus.connection.jetstreamManager();
      for await (const { stream, seq } of messagesOf(organizationId))
        await manager.streams.deleteMessage(stream, seq, false).catch(isMissing);
    },
  };
}

/** Walks messages of a stream whose consumers do not use them up, by a consumer of its own. */
async function* storedMessages({
  bus,
  manager,
  stream,
  subject,
  isMeant,
}: {
  bus: Bus;
  manager: JetStreamManager;
  stream: string;
  subject: string;
  isMeant: (message: JsMsg) => boolean;
}): AsyncGenerator<Place> {
  const added = await manager.consumers
    .add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.All,
      filter_subject: subject,
      inactive_threshold: nanos(idleMs),
      mem_storage: true,
    })
    .catch(isMissing);
  if (!added) return;
  const consumer = await bus.connection.jetstream().consumers.get(stream, added.name);
  for (let pending = added.num_pending; pending > 0; ) {
    const before = pending;
    const messages = await consumer.fetch({
      max_messages: Math.min(fetchedMax, pending),
      expires: fetchMs,
    });
    for await (const message of messages) {
      pending = message.info.pending;
      if (isMeant(message)) yield { stream, seq: message.seq };
    }
    // Those that are missing were removed meanwhile.
    if (pending === before) break;
  }
  await consumer.delete().catch(isMissing);
}

/**
 * Walks the jobs of a queue one by one: a stream of jobs has one consumer for each subject, which
 * takes them away.
 */
async function* waitingJobs(
  manager: JetStreamManager,
  { stream, subject }: { stream: string; subject: string },
  organizationId: string,
): AsyncGenerator<Place> {
  for (let seq = 1; ; ) {
    const next = { seq, next_by_subj: subject } as MsgRequest;
    const message = await manager.streams.getMessage(stream, next).catch(isMissing);
    if (!message) return;
    if (organizationOf(message.header.get(identityHeader)) === organizationId)
      yield { stream, seq: message.seq };
    seq = message.seq + 1;
  }
}

/** A dead letter has the headers of the message that it was. */
function organizationOfLetter(message: JsMsg): string | undefined {
  const { headers } = message.json<{ headers?: Record<string, string> }>();
  return organizationOf(headers?.[identityHeader]);
}
