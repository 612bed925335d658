import type { Announcements, Answers, Handlers, Identity, Service } from '@assay/contracts/define';
import { type Bus, connectBus } from './bus.ts';
import type { ServiceConfig } from './config.ts';
import { createHttpServer } from './http.ts';
import { createIdempotency, indexIdempotencyKeys } from './idempotency.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type Migration, migrate } from './migrations.ts';
import { type Database, openDatabase } from './mongo.ts';
import { inOrganizationContext } from './organization-context.ts';
import { createOutbox, unsealOutbox } from './outbox.ts';
import { createStreams, type Streams, type Subscription } from './streams.ts';

/** The parts that a service's composition builds on. */
export interface Foundation<Contract extends Service> {
  database: Database;
  bus: Bus;
  streams: Streams;
  announce: Announcements<Contract>;
  metrics: Metrics;
  log: Log;
}

/** The edges of a service, which its composition returns. */
export interface Edges<Contract extends Service> {
  routes: Handlers<Contract>;
  answers: Answers<Contract>;
  /** Events of other services. */
  subscriptions?: Subscription[];
  /** Called when all is up: starts work of the service's own. */
  started?: () => void;
  /** Called first when the service stops: ends work that would not end by itself, such as streams of events and long waits. */
  stopping?: () => void;
  /** Called when no HTTP requests, events and jobs come in any more. Must finish the work that was accepted. */
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
  log?: Log | undefined;
  compose: (foundation: Foundation<Contract>) => Edges<Contract> | Promise<Edges<Contract>>;
}

const standardMigrations: Migration[] = [
  { name: '0-idempotency-keys', up: indexIdempotencyKeys },
  { name: '0-unsealed-outbox', up: unsealOutbox },
];

/** Starts a service: database and migrations, bus, its own composition, then the edges. Stopping goes the other way and loses nothing. */
export async function startService<Contract extends Service>({
  contract,
  config,
  operatorSecret,
  migrations,
  log: given,
  compose,
}: ServiceOptions<Contract>): Promise<RunningService> {
  const log = given?.child({ name: contract.name }) ?? createLog({ name: contract.name, level: config.LOG_LEVEL });
  const secret = config.ASSAY_SECRET;
  const [database, bus] = await Promise.all([
    openDatabase({ uri: config.MONGODB_URI, name: `${config.DATABASE_PREFIX}_${contract.name}` }),
    connectBus({ urls: config.NATS_URL, nats: config, name: contract.name, prefix: config.SUBJECT_PREFIX, secret, operatorSecret, log }),
  ]);
  await migrate({ database, migrations: [...standardMigrations, ...migrations], log });
  const metrics = createMetrics(contract.name);
  const streams = createStreams({ bus, log });
  await streams.prepare();
  const outbox = createOutbox({ contract, database, bus, streams, log });
  const edges = await compose({ database, bus, streams, announce: outbox.announce, metrics, log });

  bus.answer(contract, inContexts(edges.answers));
  streams.consumeEvents(contract.name, edges.subscriptions ?? []);
  const http = createHttpServer({
    contract,
    handlers: edges.routes,
    secret,
    idempotency: createIdempotency(database),
    health: { readiness: () => readiness(database, bus) },
    metrics,
    log,
  });
  const url = await http.listen({ host: config.HOST, port: config.PORT });
  edges.started?.();
  log.info({ url }, 'ready');

  return {
    url,
    stop: async () => {
      edges.stopping?.();
      await streams.stop();
      await http.close();
      await edges.stop?.();
      await outbox.stop();
      await bus.drain();
      await database.close();
    },
  };
}

/** Counts the work of answering a question as that of the organization for which it is asked. */
function inContexts<Contract extends Service>(answers: Answers<Contract>): Answers<Contract> {
  type Answer = (identity: Identity, payload: unknown) => Promise<unknown>;
  const entries = Object.entries(answers as Record<string, Answer>).map(([name, answer]): [string, Answer] => [
    name,
    ({ organizationId, ...identity }, payload) =>
      inOrganizationContext({ organizationId }, () => answer({ organizationId, ...identity }, payload)),
  ]);
  return Object.fromEntries(entries) as Answers<Contract>;
}

async function readiness(database: Database, bus: Bus): Promise<string | undefined> {
  if (!bus.isConnected()) return 'the bus is not connected';
  return database.ping().then(
    () => undefined,
    () => 'the database does not answer',
  );
}
