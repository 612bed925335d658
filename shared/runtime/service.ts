import type { Announcements, Answers, Handlers, Identity, Service } from '@assay/contracts/define';
import { erasureOf } from '@assay/contracts/erasure';
import { type Bus, connectBus, problemOfBus } from './bus/bus.ts';
import { createOrganizationMessages } from './bus/organization-messages.ts';
import { createOutbox } from './bus/outbox.ts';
import { createStreams, type Streams, type Subscription } from './bus/streams.ts';
import { inOrganizationContext } from './concurrency/organization-context.ts';
import type { ProcessConfig, ServiceConfig } from './config.ts';
import { createReadiness, type Dependencies, type Readiness } from './http/health.ts';
import {
  createIdempotency,
  createIdempotencyWithoutDatabase,
  type Idempotency,
} from './http/idempotency.ts';
import { createHttpServer, type FailureWriter } from './http/server.ts';
import { measureBus, measureService } from './instruments.ts';
import { openKeys, type ProcessKeys } from './keys.ts';
import { type Log, logReady, openLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { Database } from './mongo/database.ts';
import { createErasure, type OrganizationFolder, type Ownerships } from './mongo/erasure.ts';
import { isMigrated, type Migration, migrate } from './mongo/migrations.ts';

/** The parts that the composition of a service without a database builds on. */
interface StatelessFoundation {
  bus: Bus;
  /** The service signs with these. */
  keys: ProcessKeys;
  metrics: Metrics;
  log: Log;
}

/** The parts that a service's composition builds on. */
export interface Foundation<Contract extends Service> extends StatelessFoundation {
  database: Database;
  streams: Streams;
  announce: Announcements<Contract>;
}

/** The edges of a service, which its composition returns. */
export interface Edges<Contract extends Service> {
  routes: Handlers<Contract>;
  answers: Answers<Contract>;
  /** Events of other services. */
  subscriptions?: Subscription[];
  /** Where the service keeps something of organizations outside of its database. */
  folders?: OrganizationFolder[];
  /** Of a service whose contract has operations of `bytes`. */
  writeFailure?: FailureWriter;
  /** Called when all is up: starts work of the service's own. */
  started?: () => void;
  /**
   * Called first when the service stops: ends work that would not end by itself, such as streams of
   * events and long waits.
   */
  stopping?: () => void;
  /**
   * Called when no HTTP requests, events and jobs come in any more. Must finish the work that was
   * accepted.
   */
  stop?: () => Promise<void>;
}

export interface RunningService {
  url: string;
  stop(): Promise<void>;
}

interface ServiceOptions<Contract extends Service> {
  contract: Contract;
  config: ServiceConfig;
  /** For the service that answers the operator. */
  operatorSecret?: string;
  migrations: Migration[];
  /** Of every collection, whose its documents are: so an organization is erased whole. */
  ownerships: Ownerships;
  log?: Log | undefined;
  compose: (foundation: Foundation<Contract>) => Edges<Contract> | Promise<Edges<Contract>>;
}

/**
 * Starts a service: database and migrations, bus, its own composition, then the edges. Stopping
 * goes the other way and loses nothing.
 */
export async function startService<Contract extends Service>({
  contract,
  config,
  operatorSecret,
  migrations,
  ownerships,
  log: shared,
  compose,
}: ServiceOptions<Contract>): Promise<RunningService> {
  const log = openLog({ name: contract.name, config, shared });
  // A service without a database does without the driver.
  const { openDatabase } = await import('./mongo/database.ts');
  const keys = openKeys(config, contract.name, log);
  const [database, bus] = await Promise.all([
    openDatabase({
      uri: config.MONGODB_URI,
      name: `${config.DATABASE_PREFIX}_${contract.name}`,
      user: keys.users().mongodb,
    }),
    connect({ contract, config, keys, operatorSecret, log }),
  ]);
  const metrics = createMetrics({ service: contract.name, revision: config.ASSAY_REVISION });
  const readiness = createReadiness();
  // Loaded here, since a service without a database does without.
  const { standardMigrations } = await import('./mongo/standard-migrations.ts');
  await prepareDatabase({
    database,
    migrations: [...standardMigrations, ...migrations],
    config,
    readiness,
    metrics,
    log,
  });
  const streams = createStreams({ bus, log });
  await streams.prepare();
  const outbox = createOutbox({ contract, database, bus, streams, log });
  measureService({ contract, database, streams, outbox }, metrics);
  const edges = await compose({
    database,
    bus,
    keys,
    streams,
    announce: outbox.announce,
    metrics,
    log,
  });
  streams.consumeEvents(contract.name, edges.subscriptions ?? []);
  const messages = createOrganizationMessages({ bus, contract });
  const erasure = createErasure({ database, ownerships, folders: edges.folders, messages });
  bus.answer(erasureOf(contract.name), erasure);
  return open({
    contract,
    config,
    edges,
    bus,
    keys,
    readiness,
    metrics,
    log,
    idempotency: createIdempotency(database),
    dependencies: {
      nats: async () => problemOfBus(bus),
      mongodb: () => problemOfDatabase(database),
    },
    stopConsuming: streams.stop,
    close: async () => {
      await outbox.stop();
      await bus.drain();
      await database.close();
    },
  });
}

interface MigrationOptions {
  database: Database;
  migrations: Migration[];
  config: ServiceConfig;
  readiness: Readiness;
  metrics: Metrics;
  log: Log;
}

/**
 * Migrates the data of a service. Where that has anything to do, which may take minutes, probes are
 * answered meanwhile; at a port that nobody was told, nobody asks.
 */
async function prepareDatabase(options: MigrationOptions): Promise<void> {
  const { config, readiness, metrics } = options;
  let underWay = 0;
  metrics.gauge(
    'assay_migrations_under_way',
    'Whether the process migrates its data, or waits for another that does: 1 or 0.',
    () => underWay,
  );
  if (await isMigrated(options)) return;
  underWay = 1;
  readiness.become('migrating');
  const { HOST: host, PORT: port } = config;
  const { listenWhileMigrating } = await import('./http/migrating.ts');
  const stopListening =
    port === 0 ? undefined : await listenWhileMigrating({ host, port, readiness, metrics });
  try {
    await migrate(options);
  } finally {
    await stopListening?.();
  }
  readiness.become('starting');
  underWay = 0;
}

interface StatelessServiceOptions<Contract extends Service> {
  contract: Contract;
  config: ProcessConfig;
  log?: Log | undefined;
  compose: (foundation: StatelessFoundation) => Omit<Edges<Contract>, 'subscriptions'>;
}

/**
 * Starts a service that owns nothing: without a database, events and jobs. What it says is computed
 * from what others own, so that any of its processes may answer, and be ended, at any time. Its
 * POSTs commit their Idempotency-Keys themselves.
 */
export async function startStatelessService<Contract extends Service>({
  contract,
  config,
  log: shared,
  compose,
}: StatelessServiceOptions<Contract>): Promise<RunningService> {
  const log = openLog({ name: contract.name, config, shared });
  const keys = openKeys(config, contract.name, log);
  const bus = await connect({ contract, config, keys, log });
  const metrics = createMetrics({ service: contract.name, revision: config.ASSAY_REVISION });
  return open({
    contract,
    config,
    edges: compose({ bus, keys, metrics, log }),
    bus,
    keys,
    readiness: createReadiness(),
    metrics,
    log,
    idempotency: createIdempotencyWithoutDatabase(contract),
    dependencies: { nats: async () => problemOfBus(bus) },
    close: bus.drain,
  });
}

const connect = ({
  contract: { name },
  config,
  keys,
  operatorSecret,
  log,
}: {
  contract: Service;
  config: ProcessConfig;
  keys: ProcessKeys;
  operatorSecret?: string | undefined;
  log: Log;
}): Promise<Bus> =>
  connectBus({
    urls: config.NATS_URL,
    nats: config,
    name,
    prefix: config.SUBJECT_PREFIX,
    keys,
    operatorSecret,
    log,
  });

interface EdgeOptions<Contract extends Service> extends StatelessFoundation {
  contract: Contract;
  config: ProcessConfig;
  edges: Edges<Contract>;
  idempotency: Idempotency;
  readiness: Readiness;
  dependencies: Dependencies;
  /** Resolves when the events and jobs under way are finished, and no more come. */
  stopConsuming?: () => Promise<void>;
  close: () => Promise<void>;
}

/** Opens the edges of a service that is composed: it answers from now on. */
async function open<Contract extends Service>(
  opened: EdgeOptions<Contract>,
): Promise<RunningService> {
  const {
    contract,
    config,
    edges,
    bus,
    keys,
    metrics,
    log,
    idempotency,
    readiness,
    dependencies,
    stopConsuming,
    close,
  } = opened;
  bus.answer(contract, inContexts(edges.answers));
  measureBus(bus, metrics);
  const http = createHttpServer({
    contract,
    handlers: edges.routes,
    writeFailure: edges.writeFailure,
    keys,
    idempotency,
    readiness,
    dependencies,
    metrics,
    log,
  });
  const url = await http.listen({ host: config.HOST, port: config.PORT });
  edges.started?.();
  readiness.become('ready');
  logReady(log, { url, config });
  return {
    url,
    stop: async () => {
      readiness.become('stopping');
      edges.stopping?.();
      await stopConsuming?.();
      await http.close();
      await edges.stop?.();
      await close();
    },
  };
}

/** Counts the work of answering a question as that of the organization for which it is asked. */
function inContexts<Contract extends Service>(answers: Answers<Contract>): Answers<Contract> {
  type Answer = (identity: Identity, payload: unknown) => Promise<unknown>;
  const entries = Object.entries(answers as Record<string, Answer>).map(
    ([name, answer]): [string, Answer] => [
      name,
      ({ organizationId, ...identity }, payload) =>
        inOrganizationContext({ organizationId }, () =>
          answer({ organizationId, ...identity }, payload),
        ),
    ],
  );
  return Object.fromEntries(entries) as Answers<Contract>;
}

const problemOfDatabase = (database: Database): Promise<string | undefined> =>
  database.ping().then(
    () => undefined,
    () => 'The database does not answer.',
  );
