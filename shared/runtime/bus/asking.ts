import type { Asks, Identity, Question, Service } from '@assay/contracts/define';
import { Failure, unanswered, unavailable } from '@assay/contracts/failure';
import { questionTimeoutMs } from '../config.ts';
import { digestOf, identityHeader, isSignature, keysTowards, sealIdentity } from '../signature.ts';
import { messageForm } from './message-form.ts';
import { type BusConnection, type BusOptions, keysOf } from './options.ts';
import { failureHeader, replyHeader, replyText } from './replies.ts';
import { headersOf } from './sealed-messages.ts';
import { subjectOf } from './subjects.ts';

/** How a question ended: answered, refused with a reason, or by a fault, such as no answer in time. */
export interface AskedQuestion {
  /** `<service>.<question>` */
  question: string;
  outcome: 'answered' | 'refused' | 'failed';
  seconds: number;
}

/** The questions of one service, as functions. */
export function asksOf(
  bus: BusConnection,
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
  bus: BusConnection,
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
