import type { Service } from '@assay/contracts/define';
import { unavailable } from '@assay/contracts/failure';
import { DiscardPolicy, type JetStreamManager, NatsError, nanos, RetentionPolicy } from 'nats';
import { streamBytesMaxDefault } from '../config.ts';
import type { Bus } from './bus.ts';
import { jobStream } from './job-queues.ts';
import { keepStream, type WantedStream } from './keep-stream.ts';
import { type StoredMessage, storedHeaders } from './sealed-messages.ts';
import { deadStreamOf, eventsStreamOf } from './stream-names.ts';
import { subjectOf } from './subjects.ts';

const day = 24 * 60 * 60 * 1000;
const deadBytesMax = 256 * 1024 * 1024;
/** JetStream's code of a stream that is full, and refuses a message. */
const fullCode = 10_077;

/** Of all partitions, and the subject itself, where jobs stood before there were partitions. */
const jobSubjects = (subject: string): string[] => [subject, `${subject}.*`];

export type Publisher = ReturnType<typeof createPublisher>;

/**
 * Publishes messages to JetStream. Streams are made when they are needed, and again when the bus
 * has lost them. A full stream takes no more; none but that of dead letters gives up an old message.
 */
export function createPublisher(bus: Bus) {
  const { prefix } = bus.options;
  const { NATS_STREAM_REPLICAS: replicas = 1, NATS_STREAM_BYTES_MAX: bytesMax } = {
    NATS_STREAM_BYTES_MAX: streamBytesMaxDefault,
    ...bus.options.nats,
  };
  const ensureStream = (
    manager: JetStreamManager,
    config: Omit<WantedStream, 'num_replicas' | 'max_bytes'> & { max_bytes?: number },
  ) =>
    keepStream(manager, { max_bytes: bytesMax, ...config, num_replicas: replicas } as WantedStream);
  const eventsStream = eventsStreamOf(prefix);
  const jetstream = bus.connection.jetstream({ timeout: 3000 });

  async function ensureStreams(manager: JetStreamManager): Promise<void> {
    await ensureStream(manager, {
      name: eventsStream,
      subjects: [`${prefix}.event.>`],
      retention: RetentionPolicy.Limits,
      max_age: nanos(7 * day),
      duplicate_window: nanos(120_000),
    });
    await ensureStream(manager, {
      name: deadStreamOf(prefix),
      subjects: [`${prefix}.dead.>`],
      retention: RetentionPolicy.Limits,
      max_age: nanos(30 * day),
      max_bytes: Math.min(deadBytesMax, bytesMax),
      discard: DiscardPolicy.Old,
    });
  }

  const ensureJobs = (manager: JetStreamManager, contract: Service, name: string): Promise<void> =>
    ensureStream(manager, {
      name: jobStream(prefix, contract.name, name),
      subjects: jobSubjects(subjectOf(prefix, 'job', contract.name, name)),
      retention: RetentionPolicy.Workqueue,
    });

  /**
   * Removes the events that each consumer has acknowledged, which the stream keeps for consumers of
   * the days to come.
   */
  async function forgetAcknowledged(manager: JetStreamManager): Promise<void> {
    const floors: number[] = [];
    for await (const { ack_floor } of manager.consumers.list(eventsStream))
      floors.push(ack_floor.stream_seq);
    if (floors.length > 0)
      await manager.streams.purge(eventsStream, { seq: Math.min(...floors) + 1 });
  }

  /** Makes room in a full stream of events, else the streams that are missing. */
  async function prepareEvents(manager: JetStreamManager, error: unknown): Promise<void> {
    await ensureStreams(manager);
    if (isFull(error)) await forgetAcknowledged(manager);
  }

  /**
   * Publishes, and where the stream is not there (a new or an emptied bus) makes it and publishes
   * again. Returns the message's place in its stream.
   * @throws SERVICE_UNAVAILABLE where the stream is full.
   */
  async function publish(
    message: StoredMessage,
    ensure: (manager: JetStreamManager, error: unknown) => Promise<void>,
  ): Promise<number> {
    const send = async () => {
      const headers = storedHeaders(bus.options, message);
      return (await jetstream.publish(message.subject, message.payload, { headers })).seq;
    };
    try {
      return await send();
    } catch (error) {
      if (!bus.isConnected()) throw error;
      await ensure(await bus.connection.jetstreamManager(), error);
      return send().catch(tellFull);
    }
  }

  return { jetstream, eventsStream, ensureStreams, prepareEvents, ensureJobs, publish };
}

const isFull = (error: unknown): boolean =>
  error instanceof NatsError && error.api_error?.err_code === fullCode;

function tellFull(error: unknown): never {
  if (!isFull(error)) throw error;
  const cause = new Error('a stream of NATS is full: raise NATS_STREAM_BYTES_MAX', {
    cause: error,
  });
  throw unavailable('A part of the service has no room at the moment.', cause);
}
