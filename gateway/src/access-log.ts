import type { Log } from '@assay/runtime/log';
import type { ClientAddress } from './client-address.ts';
import type { Exchange } from './exchange.ts';

/** Notes that a request has come; the function that it returns writes the line, when it is over. */
export type AccessLog = (exchange: Exchange) => () => void;

/** Probes and scrapes, which come every few seconds. */
const unloggedPaths = /^\/(livez|readyz|metrics)(\?|$)/;

/**
 * Writes one line for each request when it is over, that is a stream of events at its end. No line
 * has a key, a path, a query or a body.
 */
export function createAccessLog({
  log,
  clientAddress,
}: {
  log: Log;
  clientAddress: ClientAddress;
}): AccessLog {
  return (exchange) => {
    const { request, response, requestId } = exchange;
    const { method, socket, url } = request;
    if (unloggedPaths.test(url!) || !log.isLevelEnabled('info')) return () => undefined;
    const [startedAt, bytesBefore] = [performance.now(), socket.bytesWritten];
    // The address of a connection that is closed is not known any more.
    const address = clientAddress(request);
    return () => {
      const caller = exchange.owner?.caller;
      log.info(
        {
          method,
          operation: exchange.operation ?? null,
          // A client that goes away before its answer has none.
          status: response.headersSent ? response.statusCode : null,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          bytes: socket.bytesWritten - bytesBefore,
          organizationId: caller?.organizationId ?? null,
          apiKeyId: caller?.apiKeyId ?? null,
          address,
          requestId,
        },
        'request',
      );
    };
  };
}
