import { identity } from '@assay/contracts/identity';
import type { Bus } from '@assay/runtime/bus/bus';
import type { Readiness } from '@assay/runtime/http/application';
import type { Upstream } from '@assay/runtime/http/upstreams';
import { serviceIdentity } from '@assay/runtime/signature';

const answerTimeoutMs = 1000;
/**
 * The time that the list of missing services is reused, in ms: anyone can ask without a key, and
 * probes ask every few seconds.
 */
const rememberedMs = 1000;
/**
 * The time that a new gateway waits for all services, in ms. After it, a service that is down does
 * not keep the gateway from serving the others.
 */
const patienceMs = 60_000;

/**
 * Checks whether this gateway can serve: the bus is connected, and identity checks API keys. Names
 * a service that is missing, but stays ready for the other services. A gateway that was just
 * started is not ready until each service has answered once, or a minute has passed.
 */
export function createReadiness({
  bus,
  upstreams,
}: {
  bus: Bus;
  upstreams: Upstream[];
}): () => Promise<Readiness> {
  const ask = bus.asks(identity).identity;
  const patientUntil = performance.now() + patienceMs;
  const unseen = new Set(upstreams.map(({ service }) => service));

  const checkKeys = shared(0, () =>
    ask.verifyKey(serviceIdentity(''), { keyHash: '' }).then(
      () => undefined,
      () => 'API keys cannot be checked at the moment.',
    ),
  );

  const findMissing = shared(rememberedMs, async () => {
    const found = await Promise.all(
      upstreams.map(async (upstream) => ({
        service: upstream.service,
        ready: await isReady(upstream),
      })),
    );
    for (const { service, ready } of found) if (ready) unseen.delete(service);
    return found.filter(({ ready }) => !ready).map(({ service }) => service);
  });

  return async () => {
    const [keys, missing] = await Promise.all([
      bus.isConnected() ? checkKeys() : 'The bus is not connected.',
      findMissing(),
    ]);
    const isWaiting = unseen.size > 0 && performance.now() < patientUntil;
    return {
      problem:
        keys ?? (isWaiting ? 'The gateway was just started and waits for services.' : undefined),
      missing,
    };
  };
}

/** True if at least one process of a service is ready. */
const isReady = (upstream: Upstream): Promise<boolean> =>
  Promise.any(
    upstream.replicas().map(async ({ pool }) => {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: '/readyz',
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`/readyz answered ${statusCode}`);
    }),
  ).then(
    () => true,
    () => false,
  );

/** Those who ask at once, or within `keepMs`, share one answer. */
function shared<Answer>(keepMs: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: Promise<Answer> | undefined;
  let expiresAt = Number.POSITIVE_INFINITY;
  return () => {
    if (latest && performance.now() < expiresAt) return latest;
    expiresAt = Number.POSITIVE_INFINITY;
    latest = ask().finally(() => {
      expiresAt = performance.now() + keepMs;
    });
    return latest;
  };
}
