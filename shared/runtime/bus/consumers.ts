import { Failure } from '@assay/contracts/failure';
import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  nanos,
} from 'nats';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { serviceIdentity } from '../signature.ts';
import type { Bus } from './bus.ts';
import type { Publisher } from './publisher.ts';
import { openStored } from './sealed-messages.ts';

/**
 * Back-off between attempts: doubled, at most a minute, and jittered so that retries do not come in
 * step.
 */
export const backOffMs = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(60_000, 250 * 2 ** (attempt - 1)) * (0.5 + random / 2));

/**
 * The outcome of a job. `requeue` publishes it again at the end of the queue, which does not count
 * as an attempt.
 */
export type JobOutcome = 'done' | 'requeue';

/** Whether a message whose handling threw this is not tried again, but becomes a dead letter. */
export const endsAsDeadLetter = (
  error: unknown,
  { attempt, attempts }: { attempt: number; attempts: number },
): boolean =>
  attempt >= attempts ||
  (error instanceof Failure &&
    (error.code === 'VALIDATION_ERROR' || error.code === 'UNAUTHORIZED'));

/** A durable consumer of a stream, shared by the replicas of a service. */
interface Consumption {
  stream: string;
  durable: string;
  subject: string;
  attempts: number;
  finishMs: number;
  concurrency: number;
  /**
   * Messages that are fetched beyond `concurrency`, one by one, while none of those under way ends:
   * they may be of another organization, which has a permit left. None by default.
   */
  besideMax?: number;
  /** Does the work of a message, or throws the error that prevented it. */
  work: (message: JsMsg) => Promise<JobOutcome>;
  /** Makes the stream where it is missing. */
  ensure: (manager: JetStreamManager) => Promise<void>;
}

/**
 * How long one request for messages waits; the server says in between that it lives. A lost
 * connection is noticed without that. An installation has some eighty consumers, which cost an idle
 * machine more the more often they ask.
 */
const fetchMs = 10_000;
const heartbeatMs = 5000;
/** How long no message ends until another is fetched beside those under way. */
const besideAfterMs = 1000;

/**
 * Consumes messages of JetStream, and decides what becomes of each: done, again later, or a dead
 * letter.
 */
export function createConsumers({
  bus,
  log,
  publisher,
}: {
  bus: Bus;
  log: Log;
  publisher: Publisher;
}) {
  const { prefix } = bus.options;
  const { jetstream, publish, ensureStreams } = publisher;
  const running: { stop: () => void; ended: Promise<void> }[] = [];
  const buried: ((subject: string) => void)[] = [];
  let stopping = false;

  /** The letter has the message whole, its headers too: published again as it was, it is good. */
  async function bury(message: JsMsg, reason: string): Promise<void> {
    const letter = JSON.stringify({
      subject: message.subject,
      reason,
      attempts: message.info.deliveryCount,
      headers: Object.fromEntries(
        [...(message.headers ?? [])].map(([name, [value]]) => [name, value]),
      ),
      payload: message.string(),
    });
    const subject = message.subject.replace(`${prefix}.`, `${prefix}.dead.`);
    await publish(
      { subject, id: newId(), identity: serviceIdentity(''), payload: letter },
      ensureStreams,
    ).catch((error) => log.error({ err: error, reason }, 'a dead letter could not be kept'));
    message.term(reason);
    for (const listener of buried) listener(message.subject);
    log.error({ subject: message.subject, reason }, 'a message became a dead letter');
  }

  /** Under another id: the stream takes one that it had lately for a repeat, and drops it. */
  const publishAgain = (message: JsMsg): Promise<number> =>
    publish(
      {
        subject: message.subject,
        id: newId(),
        identity: openStored(bus.options, message),
        payload: message.string(),
      },
      ensureStreams,
    );

  /**
   * Return = ack. VALIDATION_ERROR = dead letter at once. Anything else = again later; the last
   * attempt = dead letter.
   */
  async function settle(
    message: JsMsg,
    attempts: number,
    work: Consumption['work'],
  ): Promise<void> {
    try {
      if ((await work(message)) === 'requeue') await publishAgain(message);
      message.ack();
    } catch (error) {
      const attempt = message.info.deliveryCount;
      const reason = error instanceof Error ? error.message : String(error);
      if (endsAsDeadLetter(error, { attempt, attempts })) return bury(message, reason);
      log.warn({ err: error, subject: message.subject, attempt }, 'a message will be tried again');
      message.nak(backOffMs(attempt));
    }
  }

  /** Consumes until the service stops, and begins again after every fault. */
  function consume(consumption: Consumption): void {
    const { concurrency, besideMax = 0, attempts, work, ensure } = consumption;
    const inFlight = new Set<Promise<void>>();
    let messages: ConsumerMessages | undefined;

    async function waitForRoom(): Promise<void> {
      while (inFlight.size >= concurrency) {
        const hasEnded = await endsWithin(Promise.race(inFlight), besideAfterMs);
        if (!hasEnded && inFlight.size < concurrency + besideMax) return;
      }
    }

    /**
     * Asks for no more messages than can be worked on at once: one that waits here would be given
     * to another process.
     */
    async function deliver(consumer: Consumer): Promise<void> {
      while (!stopping) {
        await waitForRoom();
        messages = await consumer.fetch({
          max_messages: Math.max(1, concurrency - inFlight.size),
          expires: fetchMs,
          idle_heartbeat: heartbeatMs,
        });
        if (stopping) messages.stop();
        for await (const message of messages) {
          const settling = settle(message, attempts, work).finally(() => inFlight.delete(settling));
          inFlight.add(settling);
        }
      }
    }

    const ended = (async () => {
      while (!stopping) {
        try {
          await ensure(await bus.connection.jetstreamManager());
          await deliver(await openConsumer(consumption));
        } catch (error) {
          if (!stopping)
            log.warn(
              { err: error, consumer: consumption.durable },
              'consuming will be tried again',
            );
        }
        if (!stopping) await pause(500);
      }
      await Promise.all(inFlight);
    })();
    running.push({ stop: () => messages?.stop(), ended });
  }

  async function openConsumer({
    stream,
    durable,
    subject,
    attempts,
    finishMs,
  }: Consumption): Promise<Consumer> {
    const manager = await bus.connection.jetstreamManager();
    const config = {
      filter_subject: subject,
      ack_wait: nanos(finishMs),
      max_deliver: attempts + 1,
      max_ack_pending: 1000,
    };
    await manager.consumers
      .add(stream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ...config,
      })
      .catch(() => manager.consumers.update(stream, durable, config));
    return jetstream.consumers.get(stream, durable);
  }

  async function stop(): Promise<void> {
    stopping = true;
    for (const { stop } of running) stop();
    await Promise.all(running.map(({ ended }) => ended));
  }

  return {
    consume,
    /** Called with the subject of each message that became a dead letter here. */
    onDeadLetter: (listener: (subject: string) => void) => void buried.push(listener),
    stop,
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const hasEnded = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return hasEnded;
}
