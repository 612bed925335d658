import type { Handlers, Service } from '@assay/contracts/define';
import { createReadiness } from '../../http/health.ts';
import { createHttpServer } from '../../http/server.ts';
import { keysOfSecret, type ProcessKeys } from '../../keys.ts';
import { createLog } from '../../log.ts';
import { createMetrics } from '../../metrics.ts';
import { requestAct, sealIdentity, streamedBody } from '../../signature.ts';

const secretKeys = keysOfSecret('x'.repeat(32));

/** A server of a contract without a service behind it, and where it listens. */
export interface StartedServer {
  url: string;
  /** The headers of a call by a member of the organization `o`. */
  callHeaders(method: string, path: string): Record<string, string>;
  close(): Promise<void>;
}

/** Starts a server of a contract, whose handlers are all that is behind it. */
export async function startServer<Definition extends Service>(
  contract: Definition,
  handlers: Handlers<Definition>,
  keys: ProcessKeys = secretKeys,
): Promise<StartedServer> {
  const server = createHttpServer({
    contract,
    handlers,
    keys,
    idempotency: async ({ run, reply }) => reply(await run(undefined)),
    readiness: createReadiness(),
    dependencies: {},
    metrics: createMetrics({ service: contract.name, revision: 'unknown' }),
    log: createLog({ name: 'test', level: 'silent' }),
  });
  const identity = {
    organizationId: 'o',
    userId: 'u',
    role: 'member' as const,
    apiKeyId: null,
    requestId: 'r',
  };
  return {
    url: await server.listen({ host: '127.0.0.1', port: 0 }),
    callHeaders: (method, path) =>
      sealIdentity(keys, identity, {
        act: requestAct(method, path),
        digest: streamedBody,
        receiver: contract.name,
      }),
    close: server.close,
  };
}
