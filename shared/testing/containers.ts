import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { StartedTestContainer } from 'testcontainers';
import { poll } from './poll.ts';
import type { ServerChoice } from './server-choice.ts';

interface Servers {
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  stop: () => Promise<void>;
}

/** An idle engine of this machine answers in 20 ms; one that is demanded may be busy, or far. */
const answerTimeoutMs = { 'containers if possible': 1000, containers: 20_000 };
const startTimeoutMs = 120_000;
const user = 'assay';

/**
 * Starts the servers without an address in containers; `stop` removes them with their data. Leaves
 * the addresses undefined where programs are chosen, or possible and no engine answers; `warn` gets
 * one sentence when an engine answers and cannot start them. Throws one sentence when containers
 * are demanded and do not start. No engine is asked where `engineMayAnswer` is false.
 */
export async function startContainers(
  choice: ServerChoice,
  warn: (sentence: string) => void,
  { engineMayAnswer = true } = {},
): Promise<Servers> {
  const { mongodbUri, natsUrl, start } = choice;
  const none: Servers = { mongodbUri, natsUrl, stop: async () => undefined };
  if (start === 'programs' || (mongodbUri && natsUrl)) return none;
  // Not asked in vain: to load the library takes two seconds.
  if (!engineMayAnswer || !(await engineAnswers(answerTimeoutMs[start]))) {
    if (start === 'containers if possible') return none;
    throw new Error(
      'The tests are to run on containers, and no container engine answers: start Docker, name its address in DOCKER_HOST, or unset TEST_SERVERS, MONGODB_IMAGE and NATS_IMAGE.',
    );
  }
  try {
    return await startBoth(choice);
  } catch (error) {
    const names = imagesOf(choice).join(' and ');
    if (start === 'containers')
      throw new Error(
        `The containers of ${names} do not start, so pull the images, or unset TEST_SERVERS, MONGODB_IMAGE and NATS_IMAGE: ${oneLine(error)}`,
      );
    warn(`Programs replace the containers of ${names}, which do not start: ${oneLine(error)}`);
    return none;
  }
}

/** Whether the engine answers that testcontainers finds: by DOCKER_HOST, else by the usual sockets. */
async function engineAnswers(timeoutMs: number): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const outcome = await Promise.race([
    getContainerRuntimeClient().then(
      () => 'answers',
      () => 'absent',
    ),
    setTimeout(timeoutMs, 'silent', { ref: false }),
  ]);
  // The open request has no bound of its own, and would keep the process of the tests from ending.
  if (outcome === 'silent')
    for (const agent of [http.globalAgent, https.globalAgent]) agent.destroy();
  return outcome === 'answers';
}

async function startBoth({ mongodbUri, natsUrl, images }: ServerChoice): Promise<Servers> {
  const starts = await Promise.allSettled([
    mongodbUri ? undefined : startMongodb(images.mongodb),
    natsUrl ? undefined : startNats(images.nats),
  ]);
  const stop = async () => {
    await Promise.all(
      starts.map((start) => (start.status === 'fulfilled' ? start.value?.stop() : undefined)),
    );
  };
  const [mongodb, nats] = starts;
  if (mongodb.status === 'fulfilled' && nats.status === 'fulfilled')
    return {
      mongodbUri: mongodb.value?.address ?? mongodbUri,
      natsUrl: nats.value?.address ?? natsUrl,
      stop,
    };
  await stop();
  throw mongodb.status === 'rejected' ? mongodb.reason : (nats as PromiseRejectedResult).reason;
}

interface Server {
  address: string;
  stop: () => Promise<void>;
}

/**
 * A replica set of one, since transactions need a replica set. As everywhere, it asks for a
 * password: the engine publishes the port to the networks of this machine.
 */
async function startMongodb(image: string): Promise<Server> {
  const { GenericContainer } = await import('testcontainers');
  const [key, password] = [newSecret(), newSecret()];
  const container = await new GenericContainer(image)
    .withEntrypoint(['mongod'])
    .withCommand([
      ...['--replSet', user, '--bind_ip_all', '--keyFile', '/keyfile', '--quiet'],
      // As local/src/mongod.ts has them, and why.
      ...['--networkMessageCompressors', 'disabled'],
      ...['--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '1024'],
      ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    ])
    .withCopyContentToContainer([{ content: key, target: '/keyfile', mode: 0o400 }])
    .withExposedPorts(27017)
    .withStartupTimeout(startTimeoutMs)
    .start();
  const host = `${container.getHost()}:${container.getMappedPort(27017)}`;
  try {
    await initiateReplicaSet({ host, key, password });
  } catch (error) {
    await remove(container);
    throw error;
  }
  return {
    // The set knows itself by an address inside of the container.
    address: `mongodb://${user}:${password}@${host}/?directConnection=true`,
    stop: () => remove(container),
  };
}

/** Speaks as a member of the set, by its key, since there is no user yet. */
async function initiateReplicaSet({
  host,
  key,
  password,
}: {
  host: string;
  key: string;
  password: string;
}): Promise<void> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    auth: { username: '__system', password: key },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
  });
  try {
    const admin = client.db('admin');
    const members = [{ _id: 0, host: '127.0.0.1:27017' }];
    await admin.command({ replSetInitiate: { _id: user, members } });
    await poll('MongoDB is primary', async () => {
      return (await admin.command({ hello: 1 })).isWritablePrimary === true;
    });
    await admin.command({ createUser: user, pwd: password, roles: ['root'] });
  } finally {
    await client.close();
  }
}

async function startNats(image: string): Promise<Server> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const password = newSecret();
  const container = await new GenericContainer(image)
    // A flag alone, which every image of NATS gives to its nats-server.
    .withCommand(['--config', '/assay.conf'])
    .withCopyContentToContainer([{ content: natsConfiguration(password), target: '/assay.conf' }])
    .withExposedPorts(4222)
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .withStartupTimeout(startTimeoutMs)
    .start();
  const host = `${container.getHost()}:${container.getMappedPort(4222)}`;
  return { address: `nats://${user}:${password}@${host}`, stop: () => remove(container) };
}

/** The limits are fixed, or a nearly full disk would leave too little for a stream. */
const natsConfiguration = (password: string): string => `server_name: assay
authorization { user: ${user}, password: "${password}" }
jetstream { store_dir: /data, max_memory_store: 256MB, max_file_store: 16GB }
`;

/** Kills the container, and removes it with its volumes. */
async function remove(container: StartedTestContainer): Promise<void> {
  await container.stop();
}

const imagesOf = ({ mongodbUri, natsUrl, images }: ServerChoice): string[] => [
  ...(mongodbUri ? [] : [images.mongodb]),
  ...(natsUrl ? [] : [images.nats]),
];

const newSecret = (): string => randomBytes(32).toString('hex');

const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
