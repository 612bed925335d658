import type { Answers, Asks, Identity, Question, Service } from '@assay/contracts/define';
import { Failure, type FailureOnTheWire, unavailable } from '@assay/contracts/failure';
import { headers as createHeaders, Events, type Msg, type NatsConnection } from 'nats';
import { toFailure } from './failures.ts';
import { connectNats, type NatsOptions } from './nats-connection.ts';
import { invalidFrom } from './request.ts';
import { identityHeader, openIdentity, sealIdentity } from './signature.ts';

const failureHeader = 'x-assay-failure';
const questionTimeoutMs = 3000;

interface BusOptions extends NatsOptions {
  prefix: string;
  secret: string;
}

/** A process's way to the others. */
export interface Bus {
  isConnected(): boolean;
  /** The questions of these services, as functions. Each throws the answerer's Failure, or SERVICE_UNAVAILABLE. */
  asks<Contracts extends Service[]>(...contracts: Contracts): { [Contract in Contracts[number] as Contract['name']]: Asks<Contract> };
  /** Answers the questions of one's own contract; replicas share them. */
  answer<Contract extends Service>(contract: Contract, answers: Answers<Contract>): void;
  /** Hears every message on a subject, in every process: for caches that must be emptied. */
  hear(subject: string, listener: (payload: unknown) => void): void;
  /** Called whenever the connection is lost. */
  onDisconnect(listener: () => void): void;
  /** Stops answering; answers under way are finished. */
  drain(): Promise<void>;
  options: BusOptions;
  connection: NatsConnection;
}

/** Connects, and keeps trying for as long as the process lives. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { log } = options;
  const connection = await connectNats(options);
  const lost: (() => void)[] = [];
  let connected = true;
  void watch(connection, (isUp) => {
    connected = isUp;
    log[isUp ? 'info' : 'warn'](isUp ? 'the bus is back' : 'the bus is lost');
    if (!isUp) for (const listener of lost) listener();
  });
  const bus: Bus = {
    isConnected: () => connected,
    asks: (...contracts) => Object.fromEntries(contracts.map((contract) => [contract.name, asksOf(bus, contract)])) as never,
    answer: (contract, answers) => answerQuestions(bus, contract, answers),
    hear: (subject, listener) => {
      connection.subscribe(subject, { callback: (error, message) => !error && listener(message.json()) });
    },
    onDisconnect: (listener) => lost.push(listener),
    drain: async () => {
      if (!connection.isClosed()) await connection.drain().catch(() => connection.close());
    },
    options,
    connection,
  };
  return bus;
}

async function watch(connection: NatsConnection, changed: (isUp: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) changed(false);
    if (type === Events.Reconnect) changed(true);
  }
}

/** `<prefix>.question.<service>.<question>`; events and jobs likewise. */
export const subjectOf = (prefix: string, kind: 'question' | 'event' | 'job' | 'dead', service: string, name: string): string =>
  `${prefix}.${kind}.${service}.${name}`;

function asksOf(bus: Bus, contract: Service): Asks<Service> {
  return Object.fromEntries(
    Object.entries(contract.questions).map(([name, question]) => [
      name,
      (identity: Identity, payload: unknown) => ask(bus, { service: contract.name, name, question, identity, payload }),
    ]),
  );
}

async function ask(
  bus: Bus,
  {
    service,
    name,
    question,
    identity,
    payload,
  }: { service: string; name: string; question: Question; identity: Identity; payload: unknown },
) {
  if (!bus.isConnected()) throw unavailable('A part of the service cannot be reached at the moment.');
  const headers = createHeaders();
  headers.set(identityHeader, sealIdentity(bus.options.secret, identity));
  const message = await bus.connection
    .request(subjectOf(bus.options.prefix, 'question', service, name), JSON.stringify(payload), {
      timeout: question.timeoutMs ?? questionTimeoutMs,
      headers,
    })
    .catch((error: unknown) => {
      throw unavailable(
        'A part of the service does not answer at the moment.',
        new Error(`${service}.${name} was not answered`, { cause: error }),
      );
    });
  if (message.headers?.has(failureHeader)) throw Failure.fromWire(message.json<FailureOnTheWire>());
  return message.json();
}

function answerQuestions<Contract extends Service>(bus: Bus, contract: Contract, answers: Answers<Contract>): void {
  for (const [name, question] of Object.entries(contract.questions)) {
    const handler = answers[name]! as (identity: Identity, payload: unknown) => Promise<unknown>;
    bus.connection.subscribe(subjectOf(bus.options.prefix, 'question', contract.name, name), {
      queue: contract.name,
      callback: (error, message) => {
        if (!error) void respond(bus, message, question, handler);
      },
    });
  }
}

async function respond(
  bus: Bus,
  message: Msg,
  question: Question,
  handler: (identity: Identity, payload: unknown) => Promise<unknown>,
): Promise<void> {
  try {
    const identity = openIdentity(bus.options.secret, message.headers?.get(identityHeader));
    message.respond(JSON.stringify(await handler(identity, readPayload(question, message))));
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'INTERNAL_ERROR')
      bus.options.log.error({ err: error, subject: message.subject }, 'a question failed unexpectedly');
    const headers = createHeaders();
    headers.set(failureHeader, failure.code);
    message.respond(JSON.stringify(failure.toWire()), { headers });
  }
}

/** A message's payload, checked by its contract. */
export function readPayload({ payload }: { payload: Question['payload'] }, message: { json(): unknown }): unknown {
  const result = payload.safeParse(message.json(), { reportInput: true });
  if (!result.success) throw invalidFrom(result.error, '');
  return result.data;
}
