import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createMongoClient } from '@assay/runtime/mongo/client';
import { type Db, type Document, MongoServerError } from 'mongodb';
import { databasePrefix } from './data-folder.ts';
import { accepts } from './greeting.ts';
import { keepMongodbUser, keepMongodbUsers } from './keys/mongodb-users.ts';
import type { Roots } from './keys/roots.ts';
import { keepPort } from './port.ts';
import { keepSecret } from './secret.ts';
import { type SupervisedServer, supervise } from './supervise.ts';
import { until } from './until.ts';

const replicaSet = 'assay';
const startTimeoutMs = 120_000;
const notYetInitialized = 94;
/** mongod ends with it where somebody has taken its port. */
const takenPortCode = 48;
const portsMax = 3;
const user = 'assay';

/**
 * Starts mongod as a replica set of one below `dataFolder`/mongodb, on 127.0.0.1 only, waits until
 * it is primary, and keeps it running on the same port. It accepts clients that know the password,
 * which is in the URI and in `dataFolder`/mongodb-password. Throws one sentence when it does not
 * start; `onFatal` gets one when it keeps dying.
 */
export async function startMongod(options: MongodStart): Promise<StartedMongod> {
  const portFile = join(options.dataFolder, 'mongodb.port');
  for (let ports = 1; ; ports += 1)
    try {
      return await startAt(options, options.port ?? (await keepPort({ file: portFile })));
    } catch (error) {
      // Between the look whether a port is free and mongod, another program may take it.
      const isTaken = (error as Error).message.includes(`with exit code ${takenPortCode} `);
      if (!isTaken || options.port !== undefined || ports === portsMax) throw error;
      await rm(portFile, { force: true });
    }
}

type StartedMongod = SupervisedServer & { uri: string };

interface MongodStart {
  binary: string;
  dataFolder: string;
  port?: number;
  cacheGigabytes?: number;
  /** Of whom the users of the services are; without, the operator's is the only user. */
  roots?: Roots | undefined;
  log: (line: string) => void;
  onFatal: (sentence: string) => void;
}

async function startAt(options: MongodStart, port: number): Promise<StartedMongod> {
  const { binary, dataFolder, cacheGigabytes = 0.5, roots, log, onFatal } = options;
  const folder = join(dataFolder, 'mongodb');
  await mkdir(folder, { recursive: true });
  const keyFile = join(dataFolder, 'mongodb-keyfile');
  const [key, password] = [
    await keepSecret(dataFolder, 'mongodb-keyfile'),
    await keepSecret(dataFolder, 'mongodb-password'),
  ];
  const server = await supervise({
    name: 'mongod',
    command: binary,
    args: mongodArguments({ port, folder, keyFile, cacheGigabytes }),
    pidFile: join(dataFolder, 'mongodb.pid'),
    logFile: join(dataFolder, 'logs', 'mongodb.log'),
    untilReady: ({ signal }) => untilPrimary({ port, key, password, roots, signal }),
    log,
    onFatal,
  });
  return {
    uri: `mongodb://${user}:${password}@127.0.0.1:${port}/?replicaSet=${replicaSet}`,
    stop: server.stop,
    get pid() {
      return server.pid;
    },
  };
}

interface MongodOptions {
  port: number;
  folder: string;
  keyFile: string;
  cacheGigabytes: number;
}

/**
 * The oplog's default is 5 % of the disk; at SIGTERM a primary waits up to 15 s for a successor,
 * which a set of one never has.
 */
const mongodArguments = ({ port, folder, keyFile, cacheGigabytes }: MongodOptions): string[] => [
  ...[
    '--replSet',
    replicaSet,
    '--bind_ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--dbpath',
    folder,
    '--nounixsocket',
    '--quiet',
  ],
  // Otherwise the first client to connect could create the first user.
  ...['--keyFile', keyFile, '--setParameter', 'enableLocalhostAuthBypass=0'],
  // On one machine compression only costs, and in mongod before 6.0.27 it gives memory away to any
  // client (CVE-2025-14847).
  ...['--networkMessageCompressors', 'disabled'],
  ...['--wiredTigerCacheSizeGB', String(cacheGigabytes), '--oplogSize', '1024'],
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // A killed process leaves its transaction uncommitted, and the documents that it touched locked,
  // until this time is over.
  ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
];

interface Primary {
  port: number;
  key: string;
  password: string;
  roots: Roots | undefined;
  signal: AbortSignal;
}

/**
 * Speaks as a member of the set, by its key: there is no user yet in a new folder, nor in one of an
 * Assay without passwords.
 */
async function untilPrimary({ port, key, password, roots, signal }: Primary): Promise<boolean> {
  if (!(await until({ condition: () => accepts(port), timeoutMs: startTimeoutMs, signal })))
    return false;
  const client = createMongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 5_000,
    // A command that is never answered is asked anew.
    socketTimeoutMS: 10_000,
    auth: { username: '__system', password: key },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
  });
  const admin = client.db('admin');
  let obstacle: unknown;
  const isPrimary = async (): Promise<boolean> => {
    try {
      if ((await admin.command({ hello: 1 })).isWritablePrimary === true) {
        // Where the file of the password was lost, the new one holds.
        await keepMongodbUser(admin, { user, pwd: password, roles: ['root'] });
        if (roots) await keepMongodbUsers(admin, { roots, databasePrefix });
        return true;
      }
      await configureReplicaSet({ admin, host: `127.0.0.1:${port}` });
    } catch (cause) {
      // It accepts connections before it has read its configuration, and drops them when its role
      // changes.
      obstacle = cause;
    }
    return false;
  };
  try {
    const primary = await until({ condition: isPrimary, timeoutMs: startTimeoutMs, signal });
    if (!primary && obstacle) throw obstacle;
    return primary;
  } finally {
    await client.close();
  }
}

/**
 * A set that was last started on another port does not find itself in its own configuration, hence
 * the force.
 */
async function configureReplicaSet({ admin, host }: { admin: Db; host: string }): Promise<void> {
  const members = [{ _id: 0, host }];
  const config = await currentConfiguration(admin);
  if (!config) await admin.command({ replSetInitiate: { _id: replicaSet, members } });
  else if (config.members.length !== 1 || config.members[0].host !== host) {
    await admin.command({
      replSetReconfig: { ...config, version: config.version + 1, members },
      force: true,
    });
  }
}

async function currentConfiguration(admin: Db): Promise<Document | undefined> {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config;
  } catch (cause) {
    if (cause instanceof MongoServerError && cause.code === notYetInitialized) return undefined;
    throw cause;
  }
}
