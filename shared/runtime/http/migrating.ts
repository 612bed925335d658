import { unavailable } from '@assay/contracts/failure';
import type { Metrics } from '../metrics.ts';
import { answerMetrics, createApplication, listen } from './application.ts';
import { failureReply, toFailure } from './failures.ts';
import { answerProbes, type Readiness } from './health.ts';
import { notServedHeader, send } from './reply.ts';

/**
 * Answers the probes and the metrics of a process that migrates its data; any other request is to go
 * to another process. Returns how to end it, so that the service can listen there.
 */
export async function listenWhileMigrating({
  host,
  port,
  readiness,
  metrics,
}: {
  host: string;
  port: number;
  readiness: Readiness;
  metrics: Metrics;
}): Promise<() => Promise<void>> {
  const app = createApplication({
    fail: (request, reply, error) => send(reply, failureReply(toFailure(error, request))),
    noRoute: (_request, reply) => {
      const refusal = failureReply(unavailable('A part of the service is starting: try again.'));
      send(reply, { ...refusal, headers: { ...refusal.headers, [notServedHeader]: 'migrating' } });
    },
  });
  answerProbes(app, readiness);
  answerMetrics(app, metrics);
  await listen(app, { host, port });
  return () => app.close();
}
