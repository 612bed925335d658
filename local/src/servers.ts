import { findBinary } from './binaries.ts';
import type { Roots } from './keys/roots.ts';
import { startMongod } from './mongod.ts';
import { startNats } from './nats.ts';

type Log = (line: string) => void;
interface Server {
  address: string;
  stop: () => Promise<void>;
}

/**
 * Starts the mongod and the nats-server whose addresses are not given, both at once, in
 * `dataFolder`; `stop` ends those that it started. Throws one sentence when one cannot be found or
 * started, and then leaves none running; `onFatal` gets one when one keeps dying.
 */
export async function startServers(options: {
  dataFolder: string;
  cacheFolder: string;
  mongodbUri?: string;
  natsUrl?: string;
  mongodPath?: string;
  natsServerPath?: string;
  /** Of whom the users of the processes are, at the servers that are started. */
  roots?: Roots;
  log: Log;
  onFatal: (sentence: string) => void;
}): Promise<{ mongodbUri: string; natsUrl: string; stop: () => Promise<void> }> {
  const { mongodbUri, natsUrl } = options;
  const starts = await Promise.allSettled([
    mongodbUri ? foreign(mongodbUri) : startOwnMongod(options),
    natsUrl ? foreign(natsUrl) : startOwnNats(options),
  ]);
  const stop = async () => {
    await Promise.all(
      starts.map((start) => (start.status === 'fulfilled' ? start.value.stop() : undefined)),
    );
  };
  const [mongod, nats] = starts;
  if (mongod.status === 'fulfilled' && nats.status === 'fulfilled') {
    return { mongodbUri: mongod.value.address, natsUrl: nats.value.address, stop };
  }
  await stop();
  throw mongod.status === 'rejected' ? mongod.reason : (nats as PromiseRejectedResult).reason;
}

interface Own {
  dataFolder: string;
  cacheFolder: string;
  roots?: Roots | undefined;
  log: Log;
  onFatal: (sentence: string) => void;
}

async function startOwnMongod({
  mongodPath,
  dataFolder,
  cacheFolder,
  roots,
  log,
  onFatal,
}: Own & { mongodPath?: string }): Promise<Server> {
  const binary = await findBinary('mongod', { configuredPath: mongodPath, cacheFolder, log });
  const { uri, stop } = await startMongod({ binary, dataFolder, roots, log, onFatal });
  return { address: uri, stop };
}

async function startOwnNats({
  natsServerPath,
  dataFolder,
  cacheFolder,
  roots,
  log,
  onFatal,
}: Own & { natsServerPath?: string }): Promise<Server> {
  const binary = await findBinary('nats-server', {
    configuredPath: natsServerPath,
    cacheFolder,
    log,
  });
  const { url, stop } = await startNats({ binary, dataFolder, roots, log, onFatal });
  return { address: url, stop };
}

const foreign = async (address: string): Promise<Server> => ({
  address,
  stop: async () => undefined,
});
