import { type JetStreamManager, StorageType } from 'nats';
import { ConfigurationError } from './config.ts';

export type StreamWanted = { name: string; subjects: string[] } & Record<string, unknown>;

/** Makes a stream that is not there, and gives one that is there as many replicas as are wanted now: never fewer. */
export async function keepStream(manager: JetStreamManager, config: StreamWanted & { num_replicas: number }): Promise<void> {
  const { name, num_replicas } = config;
  const found = await manager.streams.info(name).catch(() => undefined);
  if (found && found.config.num_replicas >= num_replicas) return;
  try {
    if (found) await manager.streams.update(name, { ...found.config, num_replicas });
    else await manager.streams.add({ storage: StorageType.File, ...config });
  } catch (error) {
    if (num_replicas === 1) throw error;
    const { message } = error as Error;
    const sentence = `NATS_STREAM_REPLICAS is ${num_replicas}, and NATS cannot keep a stream so often (${message}): lower it, or add servers to the cluster.`;
    throw new ConfigurationError(sentence, { cause: error });
  }
}
