import { answerMetrics, createApplication, listen } from '@assay/runtime/http/application';
import { failureReply, toFailure } from '@assay/runtime/http/failures';
import { send } from '@assay/runtime/http/reply';
import type { Metrics } from '@assay/runtime/metrics';

/** Serves `/metrics` and nothing else at a port of its own, which need not be published. */
export async function serveMetrics({
  metrics,
  host,
  port,
}: {
  metrics: Metrics;
  host: string;
  port: number;
}): Promise<() => Promise<void>> {
  const app = createApplication({
    fail: (request, reply, error) => send(reply, failureReply(toFailure(error, request))),
  });
  answerMetrics(app, metrics);
  await listen(app, { host, port });
  return () => app.close();
}
