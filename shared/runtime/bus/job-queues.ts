import { crc32 } from 'node:zlib';
import type { Service } from '@assay/contracts/define';
import type { Bus } from './bus.ts';
import { subjectOf } from './subjects.ts';

/**
 * Jobs of one kind are spread over so many queues by their organization, and each queue is fetched
 * for itself: the jobs of one organization, however many wait, are not in front of those of another,
 * but for the few that share its queue, of which each has few jobs in front (`job-shares.ts`).
 */
const partitions = 16;

/** Jobs of one kind that are fetched in order: a subject of a stream, and its durable consumer. */
export interface JobQueue {
  stream: string;
  subject: string;
  durable: string;
}

export const jobStream = (prefix: string, service: string, name: string): string =>
  `${prefix.toUpperCase()}-JOBS-${service}-${name}`;

const partitionOf = (organizationId: string): number => crc32(organizationId) % partitions;

/** `<subject>.<partition>` */
export const jobSubject = (subject: string, organizationId: string): string =>
  `${subject}.${partitionOf(organizationId)}`;

const queueAt = (
  prefix: string,
  { name: service }: Service,
  { name, partition }: { name: string; partition: number },
): JobQueue => ({
  stream: jobStream(prefix, service, name),
  subject: `${subjectOf(prefix, 'job', service, name)}.${partition}`,
  durable: `${service}-${name}-${partition}`,
});

/** The queue of an organization's jobs of a kind. */
export const jobQueueOf = (
  prefix: string,
  service: Service,
  { name, organizationId }: { name: string; organizationId: string },
): JobQueue => queueAt(prefix, service, { name, partition: partitionOf(organizationId) });

/** All queues of a kind; the first is where jobs stood before there were partitions. */
export const jobQueuesOf = (prefix: string, service: Service, name: string): JobQueue[] => [
  {
    stream: jobStream(prefix, service.name, name),
    subject: subjectOf(prefix, 'job', service.name, name),
    durable: `${service.name}-${name}`,
  },
  ...Array.from({ length: partitions }, (_, partition) =>
    queueAt(prefix, service, { name, partition }),
  ),
];

/** How far the jobs of a queue are: the place of the last that was begun, and of the last of its stream. */
export interface QueueProgress {
  begun: number;
  published: number;
}

/** Where the bus has lost the stream, nothing was published; where nobody works yet, nothing is begun. */
export async function progressOf(
  { connection }: Bus,
  { stream, durable }: JobQueue,
): Promise<QueueProgress> {
  const manager = await connection.jetstreamManager();
  const [published, begun] = await Promise.all([
    manager.streams.info(stream).then(({ state }) => state.last_seq, isMissing),
    manager.consumers
      .info(stream, durable)
      .then(({ delivered }) => delivered.stream_seq, isMissing),
  ]);
  return { published: published ?? 0, begun: begun ?? 0 };
}

/** The jobs of a stream that are not done, of one subject or of all: a job leaves it when it is done. */
export async function countWaiting(
  { connection }: Bus,
  { stream, subject }: { stream: string; subject?: string | undefined },
): Promise<number> {
  const manager = await connection.jetstreamManager();
  const only = subject === undefined ? undefined : { subjects_filter: subject };
  const info = await manager.streams.info(stream, only).catch(isMissing);
  if (!info) return 0;
  return subject === undefined ? info.state.messages : (info.state.subjects?.[subject] ?? 0);
}

/** @throws any other error than that a stream, a consumer or a message is not there. */
export function isMissing(error: unknown): undefined {
  if ((error as { api_error?: { code?: number } }).api_error?.code === 404) return undefined;
  throw error;
}
