import type { Answers, Asks, Service } from '@assay/contracts/define';
import { Events, type NatsConnection } from 'nats';
import { answerQuestions, createQuestions } from './answering.ts';
import { type AskedQuestion, asksOf } from './asking.ts';
import { connectNats } from './connection.ts';
import type { BusConnection, BusOptions } from './options.ts';
import { openStored } from './sealed-messages.ts';

/** A process's way to the others. */
export interface Bus extends BusConnection {
  /**
   * The questions of these services, as functions. Each throws the answerer's Failure, or
   * SERVICE_UNAVAILABLE.
   */
  asks<Contracts extends Service[]>(
    ...contracts: Contracts
  ): { [Contract in Contracts[number] as Contract['name']]: Asks<Contract> };
  /** Answers the questions of one's own contract; replicas share them. */
  answer<Contract extends Service>(contract: Contract, answers: Answers<Contract>): void;
  /**
   * Calls the listener for each message on a subject, in every process: for caches that must be
   * invalidated. Messages without a valid signature are ignored.
   */
  subscribeInEveryProcess(subject: string, listener: (payload: unknown) => void): void;
  /** Called whenever the connection is lost. */
  onDisconnect(listener: () => void): void;
  /** Called for each question that this process asked, when it has ended. */
  onAsked(listener: (asked: AskedQuestion) => void): void;
  /** Stops answering; answers under way are finished. */
  drain(): Promise<void>;
}

/** Connects, and keeps trying for as long as the process lives. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { log, keys } = options;
  const connection = await connectNats({ ...options, user: keys && (() => keys.users().nats) });
  const lost: (() => void)[] = [];
  const asked: ((question: AskedQuestion) => void)[] = [];
  const tellAsked = (question: AskedQuestion): void => {
    for (const listener of asked) listener(question);
  };
  const questions = createQuestions();
  let connected = true;
  void watch(connection, (isUp) => {
    connected = isUp;
    log[isUp ? 'info' : 'warn'](isUp ? 'the bus is back' : 'the bus is lost');
    if (!isUp) for (const listener of lost) listener();
  });
  const bus: Bus = {
    isConnected: () => connected,
    asks: (...contracts) =>
      Object.fromEntries(
        contracts.map((contract) => [contract.name, asksOf(bus, contract, tellAsked)]),
      ) as never,
    answer: (contract, answers) => answerQuestions({ bus, questions, contract, answers }),
    subscribeInEveryProcess: (subject, listener) => subscribeInEveryProcess(bus, subject, listener),
    onDisconnect: (listener) => lost.push(listener),
    onAsked: (listener) => asked.push(listener),
    drain: async () => {
      await questions.finish();
      if (!connection.isClosed()) await connection.drain().catch(() => connection.close());
    },
    options,
    connection,
  };
  return bus;
}

/** Returns what is wrong with the way to the others, as a sentence to an operator. */
export const problemOfBus = (bus: Bus): string | undefined =>
  bus.isConnected() ? undefined : 'The bus is not connected.';

async function watch(connection: NatsConnection, changed: (isUp: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) changed(false);
    if (type === Events.Reconnect) changed(true);
  }
}

const loggedEveryMs = 1000;

/**
 * Catches every error of the callback: an error in a subscription's callback would end the reader
 * of the connection.
 */
function subscribeInEveryProcess(
  { connection, options }: Bus,
  subject: string,
  listener: (payload: unknown) => void,
): void {
  let loggedAtMs = 0;
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      try {
        openStored(options, message);
        listener(message.json());
      } catch (fault) {
        if (Date.now() - loggedAtMs < loggedEveryMs) return;
        loggedAtMs = Date.now();
        options.log.warn({ err: fault, subject: message.subject }, 'a message was ignored');
      }
    },
  });
}
