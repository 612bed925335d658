import { setTimeout as pause } from 'node:timers/promises';
import type { Loads, OpenLoop } from '../load.ts';
import { createAnswers, quantile } from './answers.ts';
import { type Answer, type Connection, openConnection, requestBytes } from './connection.ts';

/**
 * Connections are opened before the first request, since that takes time: as many as wait when
 * answers take so long.
 */
const aheadSeconds = 0.1;
/** Far more than the connections that wait when the server bounds their number. */
const connectionsMax = 4000;
/** How long answers are waited for after the last request. */
const patienceMs = 10_000;

export const openLoop: Loads['openLoop'] = async (load, signal) => {
  const connections = createConnections(new URL(load.url));
  await connections.openAhead(Math.ceil(load.perSecond * aheadSeconds));
  const arrivals = createArrivals(load, connections);
  while (arrivals.sendDue() && !signal.aborted) await pause(1);
  const sentMs = arrivals.tookMs();
  for (
    const endMs = performance.now() + patienceMs;
    arrivals.waiting() > 0 && performance.now() < endMs;
  )
    await pause(5);
  return arrivals.end(sentMs);
};

function createArrivals(load: OpenLoop, connections: Connections) {
  const request = requestBytes(load);
  const answers = createAnswers();
  const lateMs: number[] = [];
  const everyMs = 1000 / load.perSecond;
  const startMs = performance.now();
  const endMs = startMs + load.durationMs;
  let sent = 0;
  let answered = 0;
  let acceptedInTime = 0;
  let refused = 0;
  let refusedWithoutWait = 0;

  const dueAt = (number: number) => startMs + number * everyMs;

  function count({ status, saysWhenToRetry }: Answer, dueMs: number): void {
    const nowMs = performance.now();
    answered++;
    answers.count(status, nowMs - dueMs);
    if (nowMs <= endMs) acceptedInTime = answers.accepted();
    if (status !== 429 && status !== 503) return;
    refused++;
    if (!saysWhenToRetry) refusedWithoutWait++;
  }

  return {
    tookMs: () => Math.min(performance.now(), endMs) - startMs,
    waiting: () => sent - answered,
    /** Sends the requests that are due; false when no more will be due. */
    sendDue(): boolean {
      const nowMs = performance.now();
      for (let dueMs = dueAt(sent); dueMs <= nowMs && dueMs < endMs; dueMs = dueAt(sent)) {
        const connection = connections.take();
        if (!connection) break;
        lateMs.push(nowMs - dueMs);
        sent++;
        connection.send(request, (answer) => {
          connections.giveBack(connection);
          count(answer, dueMs);
        });
      }
      return nowMs < endMs;
    },
    end(tookMs: number) {
      connections.close();
      return {
        accepted: answers.accepted(),
        perSecond: (acceptedInTime / tookMs) * 1000,
        p50Ms: answers.latencyMs(0.5),
        p99Ms: answers.latencyMs(0.99),
        errors: answers.errors,
        sentPerSecond: (sent / tookMs) * 1000,
        refused,
        refusedWithoutWait,
        lateP99Ms: quantile(lateMs, 0.99),
        lateMaxMs: quantile(lateMs, 1),
        unsent: Math.ceil(tookMs / everyMs) - sent,
      };
    },
  };
}

type Connections = ReturnType<typeof createConnections>;

/**
 * Connections that wait for nothing are used again, the last one first; others are opened when they
 * are wanted.
 */
function createConnections(url: URL) {
  const idle: Connection[] = [];
  const all = new Set<Connection>();

  function takeIdle(): Connection | undefined {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (connection.isOpen()) return connection;
      all.delete(connection);
    }
    return undefined;
  }

  function open(): Connection | undefined {
    if (all.size >= connectionsMax) return undefined;
    const connection = openConnection(url);
    all.add(connection);
    return connection;
  }

  return {
    openAhead: async (count: number): Promise<void> => {
      while (idle.length < Math.min(count, connectionsMax)) idle.push(open()!);
      await Promise.all(idle.map(({ opened }) => opened));
    },
    take: (): Connection | undefined => takeIdle() ?? open(),
    giveBack: (connection: Connection) => {
      if (connection.isOpen()) idle.push(connection);
      else all.delete(connection);
    },
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}
