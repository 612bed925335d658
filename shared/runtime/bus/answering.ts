import type { Answers, Identity, Question, Service } from '@assay/contracts/define';
import { mayAsk } from '@assay/contracts/permissions';
import type { Msg, Subscription } from 'nats';
import { toFailure } from '../http/failures.ts';
import { checkAsker, checkSender } from '../http/request.ts';
import { identityHeader, openMessage, replyKeyOf, sign } from '../signature.ts';
import { messageForm, readPayload } from './message-form.ts';
import { type BusConnection, keysOf } from './options.ts';
import { failureHeader, replyHeader, replyText } from './replies.ts';
import { headerOf, headersOf } from './sealed-messages.ts';
import { subjectOf } from './subjects.ts';

interface Questions {
  subscriptions: Subscription[];
  underWay: Set<Promise<void>>;
  /** Takes no more, and waits for the answers to those that were taken, which may ask others. */
  finish(): Promise<void>;
}

export function createQuestions(): Questions {
  const subscriptions: Subscription[] = [];
  const underWay = new Set<Promise<void>>();
  const finish = async () => {
    await Promise.allSettled(subscriptions.map((subscription) => subscription.drain()));
    await Promise.all(underWay);
  };
  return { subscriptions, underWay, finish };
}

export function answerQuestions<Contract extends Service>({
  bus,
  questions: { subscriptions, underWay },
  contract,
  answers,
}: {
  bus: BusConnection;
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
  bus: BusConnection,
  message: Msg,
  { contract, name, question, handler }: AnsweredQuestion,
): Promise<void> {
  const sealed = message.headers?.get(identityHeader) ?? '';
  const keys = keysOf(bus.options, question.access);
  let replyKey = replyKeyOf(keys, headerOf(message.headers));
  const reply = (payload: string, failureCode?: string) => {
    const text = replyText(sealed, failureCode !== undefined, payload);
    const headers = headersOf({
      ...(failureCode !== undefined && { [failureHeader]: failureCode }),
      ...(replyKey !== undefined && { [replyHeader]: sign(replyKey, 'reply', text) }),
    });
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
