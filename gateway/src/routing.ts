import {
  type Access,
  bodyBytesDefault,
  type Operation,
  type Service,
} from '@assay/contracts/define';

/** The gateway's view of an operation: its service, the access that it needs, and its limits. */
export interface RoutedOperation {
  /** `<service>.<operation>`, for metrics and the log. */
  name: string;
  service: string;
  access: Exclude<Access, 'service'>;
  /** Bytes of a decoded body; Infinity where the contract gives a streamed body no limit. */
  bodyBytesMax: number;
  /** Body or reply are long: neither is ever held whole. */
  isStreamed: boolean;
  /** A browser may get the reply by an address that its session signed. */
  isDownload: boolean;
  /** The reply may begin or end a browser session. */
  setsSession: boolean;
  /** Waits for its organization's turn at the service, while other organizations ask too. */
  isExpensive: boolean;
  /** The service itself may answer 401; that of another tells of a fault between it and us. */
  mayRefuseCaller: boolean;
}

/** A known path, as Fastify writes it: its operations by method. */
export interface Route {
  /** Below its base. */
  path: string;
  operations: ReadonlyMap<string, RoutedOperation>;
  /** The value of `Allow`. */
  allow: string;
}

/** The beginning of every path of the API. */
export const bases = ['/v2', '/api/v2'];

/** What stands before the paths of OTLP/HTTP. */
export const otlpBase = '/otel';

/**
 * Returns the routes below a base of all operations that clients may call: those of services only
 * are left out.
 */
export function routesOf(contracts: readonly Service[], base: string): Route[] {
  const protocol = base === otlpBase ? base : undefined;
  const byPath = new Map<string, Map<string, RoutedOperation>>();
  for (const { name: service, operations } of contracts) {
    for (const [name, definition] of Object.entries(operations)) {
      if (definition.access === 'service' || definition.base !== protocol) continue;
      const { path, method } = definition;
      const methods = byPath.get(path) ?? new Map<string, RoutedOperation>();
      byPath.set(path, methods.set(method, routed(service, name, definition)));
    }
  }
  return [...byPath].map(([path, operations]) => ({
    path,
    operations,
    allow: [...operations.keys()].sort().join(', '),
  }));
}

const routed = (service: string, name: string, definition: Operation): RoutedOperation => ({
  name: `${service}.${name}`,
  service,
  access:
    definition.access === undefined || definition.access === 'service'
      ? 'member'
      : definition.access,
  bodyBytesMax:
    definition.bodyBytesMax ?? (definition.streams ? Number.POSITIVE_INFINITY : bodyBytesDefault),
  isStreamed: definition.streams !== undefined || definition.replyStreams !== undefined,
  isDownload: definition.download === true,
  setsSession: definition.sessionCookie === true,
  isExpensive: definition.expensive === true,
  mayRefuseCaller: definition.failures?.includes('UNAUTHORIZED') ?? false,
});
