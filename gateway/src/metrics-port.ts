import { createServer } from 'node:http';
import type { Metrics } from '@assay/runtime/metrics';
import { listen } from './listen.ts';

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
  const server = createServer((request, response) => {
    const isAsked = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    if (!isAsked) return void response.writeHead(404).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, { host, port });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
