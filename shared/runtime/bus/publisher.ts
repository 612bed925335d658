import type { Service } from '@assay/contracts/define';
import { type JetStreamManager, nanos, RetentionPolicy } from 'nats';
import { type Bus, type StoredMessage, storedHeaders, subjectOf } from './bus.ts';
import { jobStream } from './job-queues.ts';
import { keepStream, type StreamWanted } from './keep-stream.ts';

const day = 24 * 60 * 60 * 1000;

/** Of all partitions, and the subject itself, where jobs stood before there were partitions. */
const jobSubjects = (subject: string): string[] => [subject, `${subject}.*`];

export type Publisher = ReturnType<typeof createPublisher>;

/**
 * Publishes messages to JetStream. Streams are made when they are needed, and again when the bus
 * has lost them.
 */
export function createPublisher(bus: Bus) {
  const { prefix } = bus.options;
  const replicas = bus.options.nats?.NATS_STREAM_REPLICAS ?? 1;
  const ensureStream = (manager: JetStreamManager, config: StreamWanted) =>
    keepStream(manager, { ...config, num_replicas: replicas });
  const upper = prefix.toUpperCase();
  const eventsStream = `${upper}-EVENTS`;
  const deadStream = `${upper}-DEAD`;
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
      name: deadStream,
      subjects: [`${prefix}.dead.>`],
      retention: RetentionPolicy.Limits,
      max_age: nanos(30 * day),
      max_bytes: 256 * 1024 * 1024,
    });
  }

  const ensureJobs = (manager: JetStreamManager, contract: Service, name: string): Promise<void> =>
    ensureStream(manager, {
      name: jobStream(prefix, contract.name, name),
      subjects: jobSubjects(subjectOf(prefix, 'job', contract.name, name)),
      retention: RetentionPolicy.Workqueue,
    });

  /**
   * Publishes, and where the stream is not there (a new or an emptied bus) makes it and publishes
   * again. Returns the message's place in its stream.
   */
  async function publish(
    message: StoredMessage,
    ensure: (manager: JetStreamManager) => Promise<void>,
  ): Promise<number> {
    const send = async () => {
      const headers = storedHeaders(bus.options, message);
      return (await jetstream.publish(message.subject, message.payload, { headers })).seq;
    };
    try {
      return await send();
    } catch (error) {
      if (!bus.isConnected()) throw error;
      await ensure(await bus.connection.jetstreamManager());
      return send();
    }
  }

  return { jetstream, eventsStream, ensureStreams, ensureJobs, publish };
}
