import { crc32 } from 'node:zlib';
import type { Event, Identity, Job, Service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  nanos,
  RetentionPolicy,
} from 'nats';
import { type Bus, openStored, readPayload, type StoredMessage, storedHeaders, subjectOf } from './bus.ts';
import { createFairSemaphore } from './fair-semaphore.ts';
import { newId } from './ids.ts';
import { keepStream, type StreamWanted } from './keep-stream.ts';
import type { Log } from './log.ts';
import { inOrganizationContext } from './organization-context.ts';
import { serviceIdentity } from './signature.ts';
import { createSingleFlight } from './single-flight.ts';

/** Deliveries of an event before it becomes a dead letter. */
const eventAttempts = 10;
const eventFinishMs = 30_000;
const day = 24 * 60 * 60 * 1000;

/** Back-off between attempts: doubled, at most a minute, and jittered so that retries do not come in step. */
export const backOffMs = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(60_000, 250 * 2 ** (attempt - 1)) * (0.5 + random / 2));

/** A service's handler for an event of another service. */
export interface Subscription {
  service: string;
  event: string;
  definition: Event;
  handle: (identity: Identity, payload: never) => Promise<void>;
}

/** A subscription to an event of a contract. `handle` may run twice for one event. */
export const subscription = <Contract extends Service, Name extends keyof Contract['events'] & string>(
  contract: Contract,
  event: Name,
  handle: (identity: Identity, payload: ReturnType<Contract['events'][Name]['payload']['parse']>) => Promise<void>,
): Subscription => ({ service: contract.name, event, definition: contract.events[event]!, handle: handle as Subscription['handle'] });

/** A delivered job: which attempt it is. */
export interface Delivery {
  attempt: number;
}

/** The outcome of a job. `requeue` publishes it again at the end of the queue, which does not count as an attempt. */
export type JobOutcome = 'done' | 'requeue';

/** One service's share of JetStream. */
export interface Streams {
  /** Publishes an event under its id, so that a repeat is not delivered again. Throws while the bus is away. */
  publishEvent(message: { service: string; event: string; eventId: string; identity: Identity; payload: string }): Promise<void>;
  /** Consumes events under the service's own durable name: replicas share them. */
  consumeEvents(consumer: string, subscriptions: Subscription[]): void;
  /** Makes the streams of events and dead letters, so that the first event need not wait for its stream. */
  prepare(): Promise<void>;
  publishJob<Contract extends Service>(
    contract: Contract,
    name: keyof Contract['jobs'] & string,
    identity: Identity,
    payload: unknown,
  ): Promise<void>;
  /** Works on jobs of one kind, `concurrency` of one organization at a time in this process, and one more for the others. */
  workOn<Contract extends Service>(
    contract: Contract,
    name: keyof Contract['jobs'] & string,
    options: { concurrency: number; handle: (identity: Identity, payload: never, delivery: Delivery) => Promise<JobOutcome> },
  ): void;
  /** Jobs that wait or are being worked on. */
  backlog<Contract extends Service>(contract: Contract, name: keyof Contract['jobs'] & string): Promise<number>;
  /** Stops consuming. Resolves when the messages in progress are finished. */
  stop(): Promise<void>;
}

interface Consumption {
  stream: string;
  durable: string;
  subject: string;
  attempts: number;
  finishMs: number;
  concurrency: number;
  handle: (message: JsMsg) => Promise<void>;
}

/**
 * Jobs of one kind are spread over so many subjects by their organization, and each subject is fetched for itself: the jobs of one organization,
 * however many wait, are not in front of those of another, but for the few that share its partition.
 */
const partitions = 16;

/** `<subject>.<partition>`; the subject itself is where jobs stood before there were partitions. */
export const jobSubject = (subject: string, organizationId: string): string => `${subject}.${crc32(organizationId) % partitions}`;
const jobSubjects = (subject: string): string[] => [subject, `${subject}.*`];
const jobPartitions = (subject: string): { suffix: string; subject: string }[] => [
  { suffix: '', subject },
  ...Array.from({ length: partitions }, (_, partition) => ({ suffix: `-${partition}`, subject: `${subject}.${partition}` })),
];

/** How long one request for messages waits; the server says in between that it lives. */
const fetchMs = 5000;
const heartbeatMs = 1000;

/** JetStream for one service. Streams and consumers are made when needed, and made again when the bus lost them. */
export function createStreams({ bus, log }: { bus: Bus; log: Log }): Streams {
  const { prefix } = bus.options;
  const replicas = bus.options.nats?.NATS_STREAM_REPLICAS ?? 1;
  const ensureStream = (manager: JetStreamManager, config: StreamWanted) => keepStream(manager, { ...config, num_replicas: replicas });
  const upper = prefix.toUpperCase();
  const eventsStream = `${upper}-EVENTS`;
  const deadStream = `${upper}-DEAD`;
  const jobStream = (contract: Service, name: string) => `${upper}-JOBS-${contract.name}-${name}`;
  const jetstream = bus.connection.jetstream({ timeout: 3000 });
  const running: { stop: () => void; ended: Promise<void> }[] = [];
  let stopping = false;

  async function ensureStreams(manager: JetStreamManager): Promise<void> {
    await ensureStream(manager, {
      name: eventsStream,
      subjects: [`${prefix}.event.>`],
      retention: RetentionPolicy.Limits,
      max_age: nanos(7 * day),
      duplicate_window: nanos(120_000),
    });
    await ensureStream(manager, {
      name: deadStream,
      subjects: [`${prefix}.dead.>`],
      retention: RetentionPolicy.Limits,
      max_age: nanos(30 * day),
      max_bytes: 256 * 1024 * 1024,
    });
  }

  const ensureJobs = (manager: JetStreamManager, contract: Service, name: string): Promise<void> =>
    ensureStream(manager, {
      name: jobStream(contract, name),
      subjects: jobSubjects(subjectOf(prefix, 'job', contract.name, name)),
      retention: RetentionPolicy.Workqueue,
    });

  /** Publishes, and where the stream is not there (a new or an emptied bus) makes it and publishes again. */
  async function publish(message: StoredMessage, ensure: (manager: JetStreamManager) => Promise<void>): Promise<void> {
    const send = () => jetstream.publish(message.subject, message.payload, { headers: storedHeaders(bus.options, message) });
    try {
      await send();
    } catch (error) {
      if (!bus.isConnected()) throw error;
      await ensure(await bus.connection.jetstreamManager());
      await send();
    }
  }

  /** The letter has the message whole, its headers too: published again as it was, it is good. */
  async function bury(message: JsMsg, reason: string): Promise<void> {
    const letter = JSON.stringify({
      subject: message.subject,
      reason,
      attempts: message.info.deliveryCount,
      headers: Object.fromEntries([...(message.headers ?? [])].map(([name, [value]]) => [name, value])),
      payload: message.string(),
    });
    const subject = message.subject.replace(`${prefix}.`, `${prefix}.dead.`);
    await publish({ subject, id: newId(), identity: serviceIdentity(''), payload: letter }, ensureStreams).catch((error) =>
      log.error({ err: error, reason }, 'a dead letter could not be kept'),
    );
    message.term(reason);
    log.error({ subject: message.subject, reason }, 'a message became a dead letter');
  }

  /** Under another id: the stream takes one that it had lately for a repeat, and drops it. */
  const publishAgain = (message: JsMsg): Promise<void> =>
    publish(
      { subject: message.subject, id: newId(), identity: openStored(bus.options, message), payload: message.string() },
      ensureStreams,
    );

  /** Return = ack. VALIDATION_ERROR = dead letter at once. Anything else = again later; the last attempt = dead letter. */
  async function settle(message: JsMsg, attempts: number, work: () => Promise<JobOutcome>): Promise<void> {
    try {
      if ((await work()) === 'requeue') await publishAgain(message);
      message.ack();
    } catch (error) {
      const attempt = message.info.deliveryCount;
      const reason = error instanceof Error ? error.message : String(error);
      const isHopeless = error instanceof Failure && (error.code === 'VALIDATION_ERROR' || error.code === 'UNAUTHORIZED');
      if (isHopeless || attempt >= attempts) return bury(message, reason);
      log.warn({ err: error, subject: message.subject, attempt }, 'a message will be tried again');
      message.nak(backOffMs(attempt));
    }
  }

  function consume(consumption: Consumption, ensure: (manager: JetStreamManager) => Promise<void>): void {
    const { concurrency, handle } = consumption;
    const inFlight = new Set<Promise<void>>();
    let messages: ConsumerMessages | undefined;

    /** Asks for no more messages than can be worked on at once: one that waits here would be given to another. */
    async function deliver(consumer: Consumer): Promise<void> {
      while (!stopping) {
        while (inFlight.size >= concurrency) await Promise.race(inFlight);
        messages = await consumer.fetch({ max_messages: concurrency - inFlight.size, expires: fetchMs, idle_heartbeat: heartbeatMs });
        if (stopping) messages.stop();
        for await (const message of messages) {
          const work = handle(message).finally(() => inFlight.delete(work));
          inFlight.add(work);
        }
      }
    }

    const ended = (async () => {
      while (!stopping) {
        try {
          await ensure(await bus.connection.jetstreamManager());
          await deliver(await openConsumer(consumption));
        } catch (error) {
          if (!stopping) log.warn({ err: error, consumer: consumption.durable }, 'consuming will be tried again');
        }
        if (!stopping) await pause(500);
      }
      await Promise.all(inFlight);
    })();
    running.push({ stop: () => messages?.stop(), ended });
  }

  async function openConsumer({ stream, durable, subject, attempts, finishMs }: Consumption): Promise<Consumer> {
    const manager = await bus.connection.jetstreamManager();
    const config = { filter_subject: subject, ack_wait: nanos(finishMs), max_deliver: attempts + 1, max_ack_pending: 1000 };
    await manager.consumers
      .add(stream, { durable_name: durable, ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All, ...config })
      .catch(() => manager.consumers.update(stream, durable, config));
    return jetstream.consumers.get(stream, durable);
  }

  return {
    publishEvent: ({ service, event, eventId, identity, payload }) =>
      publish({ subject: subjectOf(prefix, 'event', service, event), id: eventId, identity, payload }, ensureStreams),
    consumeEvents: (consumer, subscriptions) => {
      for (const { service, event, definition, handle } of subscriptions) {
        const work = async (message: JsMsg): Promise<JobOutcome> => {
          const identity = openStored(bus.options, message);
          await handle(identity, readPayload(definition, message) as never);
          return 'done';
        };
        consume(
          {
            stream: eventsStream,
            durable: `${consumer}-${service}-${event}`,
            subject: subjectOf(prefix, 'event', service, event),
            attempts: eventAttempts,
            finishMs: eventFinishMs,
            concurrency: 16,
            handle: (message) => settle(message, eventAttempts, () => work(message)),
          },
          ensureStreams,
        );
      }
    },
    prepare: async () => ensureStreams(await bus.connection.jetstreamManager()),
    publishJob: async (contract, name, identity, payload) => {
      if (!bus.isConnected()) throw new Failure('SERVICE_UNAVAILABLE', 'The bus is not connected.');
      const subject = jobSubject(subjectOf(prefix, 'job', contract.name, name), identity.organizationId);
      await publish({ subject, id: newId(), identity, payload: JSON.stringify(payload) }, (manager) => ensureJobs(manager, contract, name));
    },
    workOn: (contract, name, { concurrency, handle }) => {
      const definition = contract.jobs[name] as Job;
      const { attempts, finishMs } = definition;
      const withPermit = createFairSemaphore({ permits: concurrency + 1, permitsEach: concurrency });
      const work = async (message: JsMsg) => {
        const identity = openStored(bus.options, message);
        const { organizationId } = identity;
        const begin = () =>
          inOrganizationContext({ organizationId }, () =>
            handle(identity, readPayload(definition, message) as never, { attempt: message.info.deliveryCount }),
          );
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
      const handleMessage = (message: JsMsg) => settle(message, attempts, () => work(message));
      for (const { suffix, subject } of jobPartitions(subjectOf(prefix, 'job', contract.name, name))) {
        const durable = `${contract.name}-${name}${suffix}`;
        consume({ stream: jobStream(contract, name), durable, subject, attempts, finishMs, concurrency, handle: handleMessage }, ensure);
      }
    },
    // A job leaves its stream when it is acknowledged.
    backlog: async (contract, name) => {
      const manager = await bus.connection.jetstreamManager();
      const info = await manager.streams.info(jobStream(contract, name)).catch(() => undefined);
      return info?.state.messages ?? 0;
    },
    stop: async () => {
      stopping = true;
      for (const { stop } of running) stop();
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
