import type { Answers, Asks, Identity, Question, Service } from '@assay/contracts/define';
import { Failure, unanswered, unavailable } from '@assay/contracts/failure';
import { mayAsk, mayPublish } from '@assay/contracts/permissions';
import {
  headers as createHeaders,
  Events,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from 'nats';
import { questionTimeoutMs } from '../config.ts';
import { toFailure } from '../http/failures.ts';
import { checkAsker, checkSender, invalidFrom } from '../http/request.ts';
import { keysOfSecret, type ProcessKeys } from '../keys.ts';
import {
  type Act,
  digestOf,
  type HeaderOf,
  identityHeader,
  isSignature,
  keysTowards,
  openMessage,
  replyKeyOf,
  sealIdentity,
  sign,
} from '../signature.ts';
import { connectNats, type NatsOptions } from './connection.ts';
import { messageForm } from './message-form.ts';

const failureHeader = 'x-assay-failure';
const replyHeader = 'x-assay-reply';
const messageIdHeader = 'Nats-Msg-Id';

interface BusOptions extends NatsOptions {
  prefix: string;
  /**
   * Sign the messages between services. Without them, a process can ask only the operator's
   * questions.
   */
  keys?: ProcessKeys | undefined;
  /** Signs the operator's questions: identity and the operator's commands have it. */
  operatorSecret?: string | undefined;
}

/** How a question ended: answered, refused with a reason, or by a fault, such as no answer in time. */
export interface AskedQuestion {
  /** `<service>.<question>` */
  question: string;
  outcome: 'answered' | 'refused' | 'failed';
  seconds: number;
}

/** A process's way to the others. */
export interface Bus {
  isConnected(): boolean;
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
  options: BusOptions;
  connection: NatsConnection;
}

/** Connects, and keeps trying for as long as the process lives. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { log } = options;
  const { keys } = options;
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

/** `<prefix>.question.<service>.<question>`; events and jobs likewise. */
export const subjectOf = (
  prefix: string,
  kind: 'question' | 'event' | 'job' | 'dead',
  service: string,
  name: string,
): string => `${prefix}.${kind}.${service}.${name}`;

/** The keys under which a question, or a message of a service, is signed. */
function keysOf({ keys, operatorSecret }: BusOptions, access?: Question['access']): ProcessKeys {
  const own =
    access === 'operator' ? operatorSecret && keysOfSecret(operatorSecret, 'operator') : keys;
  if (!own) throw new Failure('FORBIDDEN', 'This process has no secret to sign this with.');
  return own;
}

/** The headers of a message, of these names and values. */
export function headersOf(values: Record<string, string>): MsgHdrs {
  const headers = createHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}

const headerOf =
  (headers: MsgHdrs | undefined): HeaderOf =>
  (name) =>
    headers?.get(name) || undefined;

/**
 * The act of a message that a stream keeps. Its id stands in the signature, so that nobody makes a
 * second message of it.
 */
const storedAct = (subject: string, id: string): Act => ({
  purpose: 'stored',
  subject: `${subject}\n${id}`,
});

/** A message that a stream is to keep. The stream drops a repeat of an id that it had lately. */
export interface StoredMessage {
  subject: string;
  id: string;
  identity: Identity;
  payload: string;
}

/** The headers under which it is published. */
export function storedHeaders(
  options: BusOptions,
  { subject, id, identity, payload }: StoredMessage,
): MsgHdrs {
  const act = storedAct(subject, id);
  const sealed = { act, digest: digestOf(payload), receiver: undefined };
  return headersOf({
    [messageIdHeader]: id,
    ...sealIdentity(keysOf(options), identity, sealed),
  });
}

/**
 * For whom a stored message was signed, however long ago.
 * @throws UNAUTHORIZED for one whose subject, id or payload no service signed, or that its process may
 * not publish.
 */
export function openStored(
  options: BusOptions,
  { subject, data, headers }: { subject: string; data: Uint8Array; headers?: MsgHdrs },
): Identity {
  const act = storedAct(subject, headers?.get(messageIdHeader) ?? '');
  const { identity, sender } = openMessage(keysOf(options), headerOf(headers), act, data);
  const [kind = '', service = '', name = ''] = subject.slice(options.prefix.length + 1).split('.');
  if (sender !== undefined && !mayPublish(sender, { kind, service, name }))
    throw new Failure('UNAUTHORIZED', `${sender} may not publish ${kind} ${service}.${name}.`);
  return identity;
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

/** The questions of one service, as functions. */
export function asksOf(
  bus: Pick<Bus, 'isConnected' | 'connection' | 'options'>,
  contract: Service,
  onAsked: (asked: AskedQuestion) => void = () => undefined,
): Asks<Service> {
  return Object.fromEntries(
    Object.entries(contract.questions).map(([name, question]) => [
      name,
      async (identity: Identity, payload: unknown) => {
        const startedAt = performance.now();
        let outcome: AskedQuestion['outcome'] = 'answered';
        try {
          return await ask(bus, { service: contract.name, name, question, identity, payload });
        } catch (error) {
          outcome = isFault(error) ? 'failed' : 'refused';
          throw error;
        } finally {
          const seconds = (performance.now() - startedAt) / 1000;
          onAsked({ question: `${contract.name}.${name}`, outcome, seconds });
        }
      },
    ]),
  );
}

const isFault = (error: unknown): boolean =>
  !(error instanceof Failure) ||
  error.code === 'SERVICE_UNAVAILABLE' ||
  error.code === 'INTERNAL_ERROR';

const timeoutOf = ({ timeoutMs }: Question, { nats }: BusOptions): number =>
  timeoutMs ?? nats?.QUESTION_TIMEOUT_MS ?? questionTimeoutMs;

async function ask(
  bus: Pick<Bus, 'isConnected' | 'connection' | 'options'>,
  {
    service,
    name,
    question,
    identity,
    payload,
  }: { service: string; name: string; question: Question; identity: Identity; payload: unknown },
) {
  if (!bus.isConnected())
    throw unavailable('A part of the service cannot be reached at the moment.');
  const keys = keysOf(bus.options, question.access);
  const subject = subjectOf(bus.options.prefix, 'question', service, name);
  const text = messageForm(question.payload).write(payload);
  const sealed = sealIdentity(keys, identity, {
    act: { purpose: 'question', subject },
    digest: digestOf(text),
    receiver: service,
  });
  const message = await bus.connection
    .request(subject, text, {
      timeout: timeoutOf(question, bus.options),
      headers: headersOf(sealed),
    })
    .catch((error: unknown) => {
      throw unanswered(new Error(`${service}.${name} was not answered`, { cause: error }));
    });
  const isFailure = message.headers?.has(failureHeader) ?? false;
  if (
    !isSignature(
      keysTowards(keys, service),
      'reply',
      replyText(sealed[identityHeader]!, isFailure, message.data),
      message.headers?.get(replyHeader) ?? '',
    )
  )
    throw unanswered(
      new ForeignReply(`the reply to ${service}.${name} was not signed with a key of this process`),
    );
  if (isFailure) throw answeredFailure(Failure.fromWire(message.json()), `${service}.${name}`);
  return messageForm(question.reply).read(message);
}

/**
 * The failure of a question for whoever asked it. Questions refuse no caller, so one that was not
 * taken for its signature is a fault of the installation, such as a clock that is wrong.
 */
const answeredFailure = (failure: Failure, question: string): Failure =>
  failure.code === 'UNAUTHORIZED'
    ? unanswered(new Error(`the signature of ${question} was not taken`, { cause: failure }))
    : failure;

/** Who replied has other keys. */
export class ForeignReply extends Error {
  override name = 'ForeignReply';
}

/**
 * Returns the text that a reply's signature binds: the seal of its question, whether it is a
 * failure, and the digest of its payload.
 */
const replyText = (sealed: string, isFailure: boolean, payload: string | Uint8Array): string =>
  `${sealed}\n${isFailure ? 'failure' : 'reply'}\n${digestOf(payload)}`;

interface Questions {
  subscriptions: Subscription[];
  underWay: Set<Promise<void>>;
  /** Takes no more, and waits for the answers to those that were taken, which may ask others. */
  finish(): Promise<void>;
}

function createQuestions(): Questions {
  const subscriptions: Subscription[] = [];
  const underWay = new Set<Promise<void>>();
  const finish = async () => {
    await Promise.allSettled(subscriptions.map((subscription) => subscription.drain()));
    await Promise.all(underWay);
  };
  return { subscriptions, underWay, finish };
}

function answerQuestions<Contract extends Service>({
  bus,
  questions: { subscriptions, underWay },
  contract,
  answers,
}: {
  bus: Bus;
  questions: Questions;
  contract: Contract;
  answers: Answers<Contract>;
}): void {
  for (const [name, question] of Object.entries(contract.questions)) {
    const handler = answers[name]! as (identity: Identity, payload: unknown) => Promise<unknown>;
    const callback = (error: Error | null, message: Msg) => {
      if (error) return;
      const answering = respond(bus, message, { contract, name, question, handler })
        .catch((fault) =>
          bus.options.log.warn(
            { err: fault, subject: message.subject },
            'a question could not be answered',
          ),
        )
        .finally(() => underWay.delete(answering));
      underWay.add(answering);
    };
    const subject = subjectOf(bus.options.prefix, 'question', contract.name, name);
    subscriptions.push(bus.connection.subscribe(subject, { queue: contract.name, callback }));
  }
}

interface AnsweredQuestion {
  contract: Service;
  name: string;
  question: Question;
  handler: (identity: Identity, payload: unknown) => Promise<unknown>;
}

async function respond(
  bus: Bus,
  message: Msg,
  { contract, name, question, handler }: AnsweredQuestion,
): Promise<void> {
  const sealed = message.headers?.get(identityHeader) ?? '';
  const keys = keysOf(bus.options, question.access);
  let replyKey = replyKeyOf(keys, headerOf(message.headers));
  const reply = (payload: string, failureCode?: string) => {
    const headers = createHeaders();
    if (failureCode) headers.set(failureHeader, failureCode);
    const text = replyText(sealed, failureCode !== undefined, payload);
    if (replyKey !== undefined) headers.set(replyHeader, sign(replyKey, 'reply', text));
    message.respond(payload, { headers });
  };
  try {
    const { identity, sender, key } = openMessage(
      keys,
      headerOf(message.headers),
      { purpose: 'question', subject: message.subject },
      message.data,
    );
    replyKey = key;
    checkSender(sender, (asker) => mayAsk(asker, contract.name, name), `${contract.name}.${name}`);
    checkAsker(question, identity);
    reply(
      messageForm(question.reply).write(await handler(identity, readPayload(question, message))),
    );
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'INTERNAL_ERROR')
      bus.options.log.error(
        { err: error, subject: message.subject },
        'a question failed unexpectedly',
      );
    reply(JSON.stringify(failure.toWire()), failure.code);
  }
}

/** A message's payload, checked by its contract. */
export function readPayload(
  { payload }: { payload: Question['payload'] },
  message: Pick<Msg, 'json' | 'data'>,
): unknown {
  const result = payload.safeParse(messageForm(payload).read(message), { reportInput: true });
  if (!result.success) throw invalidFrom(result.error, '');
  return result.data;
}
