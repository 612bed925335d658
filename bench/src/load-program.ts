import { Client } from 'undici';
import type { Load, Measured } from './load.ts';

// Ends with the process that asks, in whatever way that ends.
process.on('disconnect', () => process.exit(0));
process.on('message', (load: Load) => {
  void generate(load).then((measured) => process.send!(measured));
});

async function generate(load: Load): Promise<Measured> {
  const clients = Array.from({ length: load.connections }, () => new Client(load.url, { pipelining: 1 }));
  const latencies: number[] = [];
  const errors: Record<string, number> = {};
  const startMs = performance.now();
  const endMs = startMs + load.durationMs;
  await Promise.all(
    clients.map(async (client) => {
      for (let sentMs = startMs; sentMs < endMs; ) {
        const outcome = await send(client, load);
        const nowMs = performance.now();
        if (nowMs > endMs) break;
        if (outcome >= 200 && outcome < 300) latencies.push(nowMs - sentMs);
        else count(errors, outcome);
        sentMs = nowMs;
      }
    }),
  );
  await Promise.all(clients.map((client) => client.close()));
  latencies.sort((one, other) => one - other);
  return { perSecond: (latencies.length / load.durationMs) * 1000, p50Ms: at(latencies, 0.5), p99Ms: at(latencies, 0.99), errors };
}

/** The answer's status, or 0 when there was none. */
const send = (client: Client, { method, path, headers, body }: Load): Promise<number> =>
  new Promise((resolve) => {
    let status = 0;
    client.dispatch(
      { method, path, headers, body: body ?? null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode) => {
          status = statusCode;
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status),
        onResponseError: () => resolve(0),
      },
    );
  });

function count(errors: Record<string, number>, status: number): void {
  const name = status === 0 ? 'no answer' : String(status);
  errors[name] = (errors[name] ?? 0) + 1;
}

const at = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
