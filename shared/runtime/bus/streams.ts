import type { Event, Identity, Job, Service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { JetStreamManager, JsMsg } from 'nats';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { inOrganizationContext } from '../concurrency/organization-context.ts';
import { createSingleFlight } from '../concurrency/single-flight.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Bus } from './bus.ts';
import { createConsumers, endsAsDeadLetter, type JobOutcome } from './consumers.ts';
import { countWaiting, jobQueueOf, jobQueuesOf, jobStream, progressOf } from './job-queues.ts';
import { createJobShares, waitingEach } from './job-shares.ts';
import { readPayload } from './message-form.ts';
import { createPublisher } from './publisher.ts';
import { openStored } from './sealed-messages.ts';
import { eventConsumerOf } from './stream-names.ts';
import { subjectOf } from './subjects.ts';

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

/** How a job that was delivered here ended. */
export interface WorkedJob {
  job: string;
  outcome: JobOutcome | 'failed';
  seconds: number;
}

/** One service's share of JetStream. */
export interface Streams {
  /**
   * Publishes an event under its id, so that a repeat is not delivered again. Throws while the bus
   * is away, or has no room for it.
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
  /**
   * Publishes a job, once the organization has few enough waiting in its queue. Throws while the bus
   * is away or has no room for it, and where it would have to wait while the service stops.
   */
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
  /** Jobs that wait or are being worked on, in the queue of an organization or in all. */
  backlog<Contract extends Service>(
    contract: Contract,
    name: keyof Contract['jobs'] & string,
    organizationId?: string,
  ): Promise<number>;
  /** Called for each job that was delivered here, when its work has ended. */
  onJob(listener: (worked: WorkedJob) => void): void;
  /** Called with the kind of each message that became a dead letter here. */
  onDeadLetter(listener: (kind: 'event' | 'job') => void): void;
  /** Stops consuming. Resolves when the messages in progress are finished. */
  stop(): Promise<void>;
}

/**
 * JetStream for one service. Streams and consumers are made when needed, and made again when the
 * bus lost them.
 */
export function createStreams({ bus, log }: { bus: Bus; log: Log }): Streams {
  const { prefix } = bus.options;
  const publisher = createPublisher(bus);
  const consumers = createConsumers({ bus, log, publisher });
  const { publish, ensureStreams, prepareEvents, ensureJobs } = publisher;
  const jobShares = createJobShares((queue) => progressOf(bus, queue));
  const worked: ((job: WorkedJob) => void)[] = [];

  async function measured(job: string, work: () => Promise<JobOutcome>): Promise<JobOutcome> {
    const startedAt = performance.now();
    let outcome: WorkedJob['outcome'] = 'failed';
    try {
      outcome = await work();
      return outcome;
    } finally {
      const seconds = (performance.now() - startedAt) / 1000;
      for (const listener of worked) listener({ job, outcome, seconds });
    }
  }

  return {
    publishEvent: async ({ service, event, eventId, identity, payload }) => {
      const subject = subjectOf(prefix, 'event', service, event);
      await publish({ subject, id: eventId, identity, payload }, prepareEvents);
    },
    consumeEvents: (consumer, subscriptions) => {
      for (const { service, event, definition, handle } of subscriptions) {
        const work = async (message: JsMsg): Promise<JobOutcome> => {
          const identity = openStored(bus.options, message);
          await handle(identity, readPayload(definition, message) as never);
          return 'done';
        };
        consumers.consume({
          stream: publisher.eventsStream,
          durable: eventConsumerOf(consumer, { service, event }),
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
      const { organizationId } = identity;
      const queue = jobQueueOf(prefix, contract, { name, organizationId });
      const message = { subject: queue.subject, id: newId(), identity };
      await jobShares.publish({ queue, organizationId }, () =>
        publish({ ...message, payload: JSON.stringify(payload) }, (manager) =>
          ensureJobs(manager, contract, name),
        ),
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
        const begin = () =>
          measured(name, () => inOrganizationContext({ organizationId }, handleOrGiveUp));
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
      for (const queue of jobQueuesOf(prefix, contract, name))
        consumers.consume({
          ...queue,
          attempts,
          finishMs,
          concurrency,
          besideMax: 2 * waitingEach,
          work,
          ensure,
        });
    },
    backlog: (contract, name, organizationId) => {
      const queue =
        organizationId === undefined
          ? { stream: jobStream(prefix, contract.name, name) }
          : jobQueueOf(prefix, contract, { name, organizationId });
      return countWaiting(bus, queue);
    },
    onJob: (listener) => void worked.push(listener),
    onDeadLetter: (listener) =>
      consumers.onDeadLetter((subject) =>
        listener(subject.startsWith(`${prefix}.job.`) ? 'job' : 'event'),
      ),
    stop: async () => {
      jobShares.stop();
      await consumers.stop();
    },
  };
}
