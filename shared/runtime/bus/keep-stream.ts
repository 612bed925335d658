import { type JetStreamManager, StorageType } from 'nats';
import { ConfigurationError } from '../config.ts';

export type StreamWanted = { name: string; subjects: string[] } & Record<string, unknown>;

/**
 * Makes a stream that is not there, and gives one that is there the subjects and as many replicas
 * as are wanted now: never fewer.
 */
export async function keepStream(
  manager: JetStreamManager,
  config: StreamWanted & { num_replicas: number },
): Promise<void> {
  const { name, num_replicas } = config;
  const found = await manager.streams.info(name).catch(() => undefined);
  const subjects = [...new Set([...(found?.config.subjects ?? []), ...config.subjects])];
  const hasAll = subjects.length === found?.config.subjects.length;
  if (found && hasAll && found.config.num_replicas >= num_replicas) return;
  try {
    if (found)
      await manager.streams.update(name, {
        ...found.config,
        subjects,
        num_replicas: Math.max(found.config.num_replicas, num_replicas),
      });
    else await manager.streams.add({ storage: StorageType.File, ...config });
  } catch (error) {
    if (num_replicas === 1) throw error;
    const { message } = error as Error;
    const sentence = `NATS_STREAM_REPLICAS is ${num_replicas}, and NATS cannot keep a stream so often (${message}): lower it, or add servers to the cluster.`;
    throw new ConfigurationError(sentence, { cause: error });
  }
}
