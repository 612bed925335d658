import { identity } from '@assay/contracts/identity';
import { type Bus, problemOfBus } from '@assay/runtime/bus/bus';
import type { Dependencies } from '@assay/runtime/http/health';
import type { Upstream } from '@assay/runtime/http/upstreams';
import { serviceIdentity } from '@assay/runtime/signature';

const answerTimeoutMs = 1000;

/** Returns what the gateway needs for its requests: the bus, and a process of each service. */
export function dependenciesOf(bus: Bus, upstreams: Upstream[]): Dependencies {
  const services = upstreams.map((upstream) => [upstream.service, () => problemOf(upstream)]);
  return {
    nats: async () => problemOfBus(bus),
    ...Object.fromEntries(services),
    keys: () => problemOfKeys(bus),
  };
}

/** Identity is asked over the bus, where its process may be silent though it is ready. */
const problemOfKeys = (bus: Bus): Promise<string | undefined> =>
  bus
    .asks(identity)
    .identity.verifyKey(serviceIdentity(''), { keyHash: '' })
    .then(
      () => undefined,
      () => 'API keys cannot be checked at the moment.',
    );

/** One process that is ready is enough. */
const problemOf = (upstream: Upstream): Promise<string | undefined> =>
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
    () => undefined,
    () => 'No process of it is ready.',
  );
