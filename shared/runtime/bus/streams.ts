import { crc32 } from 'node:zlib';
import type { Event, Identity, Job, Service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { JetStreamManager, JsMsg } from 'nats';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { inOrganizationContext } from '../concurrency/organization-context.ts';
import { createSingleFlight } from '../concurrency/single-flight.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { type Bus, openStored, readPayload, subjectOf } from './bus.ts';
import { createConsumers, endsAsDeadLetter, type JobOutcome } from './consumers.ts';
import { createPublisher } from './publisher.ts';

/** Deliveries of an event before it becomes a dead letter. */
const eventAttempts = 10;
const eventFinishMs = 30_000;
/** For each request of a service that starts: a broker that starts beside it may be slow at first. */
const prepareTimeoutMs = 30_000;

/** A service's handler for an event of another service. */
export interface Subscription {
  service: string;
  event: string;
  definition: Event;
  handle: (identity: Identity, payload: never) => Promise<void>;
}

/** A subscription to an event of a contract. `handle` may run twice for one event. */
export const subscription = <
  Contract extends Service,
  Name extends keyof Contract['events'] & string,
>(
  contract: Contract,
  event: Name,
  handle: (
    identity: Identity,
    payload: ReturnType<Contract['events'][Name]['payload']['parse']>,
  ) => Promise<void>,
): Subscription => ({
  service: contract.name,
  event,
  definition: contract.events[event]!,
  handle: handle as Subscription['handle'],
});

/** A delivered job: which attempt it is. */
export interface Delivery {
  attempt: number;
}

/** One service's share of JetStream. */
export interface Streams {
  /**
   * Publishes an event under its id, so that a repeat is not delivered again. Throws while the bus
   * is away.
   */
  publishEvent(message: {
    service: string;
    event: string;
    eventId: string;
    identity: Identity;
    payload: string;
  }): Promise<void>;
  /** Consumes events under the service's own durable name: replicas share them. */
  consumeEvents(consumer: string, subscriptions: Subscription[]): void;
  /**
   * Makes the streams of events and dead letters, so that the first event need not wait for its
   * stream.
   */
  prepare(): Promise<void>;
  publishJob<Contract extends Service>(
    contract: Contract,
    name: keyof Contract['jobs'] & string,
    identity: Identity,
    payload: unknown,
  ): Promise<void>;
  /**
   * Works on jobs of one kind, `concurrency` of one organization at a time in this process, and one
   * more for the others. `giveUp` hears of a job that becomes a dead letter, and why: it tells those
   * who wait for the job. A fault of its own is logged.
   */
  workOn<Contract extends Service>(
    contract: Contract,
    name: keyof Contract['jobs'] & string,
    options: {
      concurrency: number;
      handle: (identity: Identity, payload: never, delivery: Delivery) => Promise<JobOutcome>;
      giveUp?: (identity: Identity, payload: never, error: unknown) => Promise<void>;
    },
  ): void;
  /** Jobs that wait or are being worked on. */
  backlog<Contract extends Service>(
    contract: Contract,
    name: keyof Contract['jobs'] & string,
  ): Promise<number>;
  /** Stops consuming. Resolves when the messages in progress are finished. */
  stop(): Promise<void>;
}

/**
 * Jobs of one kind are spread over so many subjects by their organization, and each subject is
 * fetched for itself: the jobs of one organization, however many wait, are not in front of those of
 * another, but for the few that share its partition.
 */
const partitions = 16;

/** `<subject>.<partition>`; the subject itself is where jobs stood before there were partitions. */
export const jobSubject = (subject: string, organizationId: string): string =>
  `${subject}.${crc32(organizationId) % partitions}`;
const jobPartitions = (subject: string): { suffix: string; subject: string }[] => [
  { suffix: '', subject },
  ...Array.from({ length: partitions }, (_, partition) => ({
    suffix: `-${partition}`,
    subject: `${subject}.${partition}`,
  })),
];

/**
 * JetStream for one service. Streams and consumers are made when needed, and made again when the
 * bus lost them.
 */
export function createStreams({ bus, log }: { bus: Bus; log: Log }): Streams {
  const { prefix } = bus.options;
  const publisher = createPublisher(bus);
  const consumers = createConsumers({ bus, log, publisher });
  const { publish, ensureStreams, ensureJobs } = publisher;

  return {
    publishEvent: ({ service, event, eventId, identity, payload }) =>
      publish(
        { subject: subjectOf(prefix, 'event', service, event), id: eventId, identity, payload },
        ensureStreams,
      ),
    consumeEvents: (consumer, subscriptions) => {
      for (const { service, event, definition, handle } of subscriptions) {
        const work = async (message: JsMsg): Promise<JobOutcome> => {
          const identity = openStored(bus.options, message);
          await handle(identity, readPayload(definition, message) as never);
          return 'done';
        };
        consumers.consume({
          stream: publisher.eventsStream,
          durable: `${consumer}-${service}-${event}`,
          subject: subjectOf(prefix, 'event', service, event),
          attempts: eventAttempts,
          finishMs: eventFinishMs,
          concurrency: 16,
          work,
          ensure: ensureStreams,
        });
      }
    },
    prepare: async () =>
      ensureStreams(await bus.connection.jetstreamManager({ timeout: prepareTimeoutMs })),
    publishJob: async (contract, name, identity, payload) => {
      if (!bus.isConnected()) throw new Failure('SERVICE_UNAVAILABLE', 'The bus is not connected.');
      const subject = jobSubject(
        subjectOf(prefix, 'job', contract.name, name),
        identity.organizationId,
      );
      await publish(
        { subject, id: newId(), identity, payload: JSON.stringify(payload) },
        (manager) => ensureJobs(manager, contract, name),
      );
    },
    workOn: (contract, name, { concurrency, handle, giveUp = async () => undefined }) => {
      const definition = contract.jobs[name] as Job;
      const { attempts, finishMs } = definition;
      const withPermit = createFairSemaphore({
        permits: concurrency + 1,
        permitsEach: concurrency,
      });
      const work = async (message: JsMsg) => {
        const identity = openStored(bus.options, message);
        const { organizationId } = identity;
        const payload = readPayload(definition, message) as never;
        const attempt = message.info.deliveryCount;
        const handleOrGiveUp = async (): Promise<JobOutcome> => {
          try {
            return await handle(identity, payload, { attempt });
          } catch (error) {
            if (endsAsDeadLetter(error, { attempt, attempts }))
              await giveUp(identity, payload, error).catch((fault) =>
                log.error({ err: fault, job: name }, 'a dead letter was not told to who waits'),
              );
            throw error;
          }
        };
        const begin = () => inOrganizationContext({ organizationId }, handleOrGiveUp);
        const heartbeat = setInterval(() => message.working(), finishMs / 3);
        try {
          return await withPermit(organizationId, begin);
        } finally {
          clearInterval(heartbeat);
        }
      };
      const singleFlight = createSingleFlight<void>();
      const ensure = (manager: JetStreamManager) =>
        singleFlight('streams', async () => {
          await ensureStreams(manager);
          await ensureJobs(manager, contract, name);
        });
      for (const { suffix, subject } of jobPartitions(
        subjectOf(prefix, 'job', contract.name, name),
      )) {
        const durable = `${contract.name}-${name}${suffix}`;
        const stream = publisher.jobStream(contract, name);
        consumers.consume({
          stream,
          durable,
          subject,
          attempts,
          finishMs,
          concurrency,
          work,
          ensure,
        });
      }
    },
    // A job leaves its stream when it is acknowledged.
    backlog: async (contract, name) => {
      const manager = await bus.connection.jetstreamManager();
      const info = await manager.streams
        .info(publisher.jobStream(contract, name))
        .catch(() => undefined);
      return info?.state.messages ?? 0;
    },
    stop: consumers.stop,
  };
}
