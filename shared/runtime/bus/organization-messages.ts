import type { Service } from '@assay/contracts/define';
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  type MsgRequest,
  NatsError,
  nanos,
} from 'nats';
import { newId } from '../ids.ts';
import { identityHeader, organizationOf } from '../signature.ts';
import type { Bus } from './bus.ts';
import { isMissing, jobQueueOf, jobQueuesOf } from './job-queues.ts';
import { deadStreamOf, eventsStreamOf } from './stream-names.ts';
import { subjectOf } from './subjects.ts';

/** Messages that are asked for at once, and how long they are waited for. */
const fetchedMax = 500;
const fetchMs = 2000;
/** After so long, the consumer of a walk that was broken off is forgotten. */
const idleMs = 60_000;

interface Place {
  stream: string;
  seq: number;
}

/** Walks of one kind that a service may have under way at once. */
const walksMax = 8;

/** A walk of a service by consumers of its own, and their names: a user of NATS may be kept to them. */
export interface Walk {
  stream: string;
  subject: string;
  names: string[];
}

/** The walks of a service: through its events, and through the dead letters of both kinds. */
export function walksOf(service: string, prefix: string): Walk[] {
  const walk = (stream: string, kind: string, subject: string): Walk => ({
    stream,
    subject,
    names: Array.from({ length: walksMax }, (_, number) => `${service}-walk-${kind}-${number}`),
  });
  const dead = deadStreamOf(prefix);
  return [
    walk(eventsStreamOf(prefix), 'events', subjectOf(prefix, 'event', service, '>')),
    walk(dead, 'dead-events', subjectOf(prefix, 'dead', 'event', `${service}.>`)),
    walk(dead, 'dead-jobs', subjectOf(prefix, 'dead', 'job', `${service}.>`)),
  ];
}

export type OrganizationMessages = ReturnType<typeof createOrganizationMessages>;

/**
 * The messages of an organization that streams keep for a service: its events, its jobs, and the
 * dead letters of both.
 */
export function createOrganizationMessages({ bus, contract }: { bus: Bus; contract: Service }) {
  const { prefix } = bus.options;
  const [events, ...letters] = walksOf(contract.name, prefix);

  async function* messagesOf(organizationId: string): AsyncGenerator<Place> {
    const manager = await bus.connection.jetstreamManager();
    yield* storedMessages({
      bus,
      manager,
      walk: events!,
      isMeant: (message) => organizationOf(message.headers?.get(identityHeader)) === organizationId,
    });
    for (const walk of letters)
      yield* storedMessages({
        bus,
        manager,
        walk,
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
  walk,
  isMeant,
}: {
  bus: Bus;
  manager: JetStreamManager;
  walk: Walk;
  isMeant: (message: JsMsg) => boolean;
}): AsyncGenerator<Place> {
  const { stream } = walk;
  const added = await beginWalk(manager, walk);
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
 * Makes a consumer under the first name that no other walk has; undefined where there is no stream.
 * Where all names are taken, one is free when a walk has ended, or was broken off a minute ago.
 */
async function beginWalk(
  manager: JetStreamManager,
  { stream, subject, names }: Walk,
): Promise<ConsumerInfo | undefined> {
  for (;;) {
    for (const name of names) {
      const added = await manager.consumers
        .add(stream, {
          name,
          // Another walk has another one: NATS takes two that are the same for one.
          description: newId(),
          ack_policy: AckPolicy.None,
          deliver_policy: DeliverPolicy.All,
          filter_subject: subject,
          inactive_threshold: nanos(idleMs),
          mem_storage: true,
        })
        .catch((error: unknown) => (isTaken(error) ? 'taken' : isMissing(error)));
      if (added !== 'taken') return added;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** JetStream's codes of a consumer's name that is in use. */
const takenCodes = new Set([10_013, 10_105, 10_148]);
const isTaken = (error: unknown): boolean =>
  error instanceof NatsError && takenCodes.has(error.api_error?.err_code ?? 0);

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
