import { bodyBytesDefault, type Operation, type Service } from '@assay/contracts/define';
import findMyWay from 'find-my-way';

/** The gateway's view of an operation: its service, the access that it needs, and its limits. */
export interface RoutedOperation {
  /** `<service>.<operation>`, for metrics and the log. */
  name: string;
  service: string;
  access: 'member' | 'admin' | 'signature';
  /** Bytes of a decoded body; Infinity where the contract gives a streamed body no limit. */
  bodyBytesMax: number;
  /** Body or reply are long: neither is ever held whole. */
  isStreamed: boolean;
}

/** A known path: its operations by method. */
export interface Route {
  operations: ReadonlyMap<string, RoutedOperation>;
  /** The value of `Allow`. */
  allow: string;
}

export interface Routing {
  /**
   * Returns the route of a raw request target below the base path; undefined if the path is unknown
   * or cannot be decoded.
   */
  find(target: string): Route | undefined;
}

// The services' own limit for a path parameter (shared/runtime/http/server.ts), so that both route
// alike.
const maxParamLength = 8192;

/**
 * The routing table, made from the contracts. Operations for services only are not in it: to
 * clients they do not exist. The services use the same router, so that every spelling of a path has
 * the same meaning here and there.
 */
export function createRouting(contracts: readonly Service[]): Routing {
  const router = findMyWay({ maxParamLength, querystringParser: () => ({}) });
  for (const [path, operations] of operationsByPath(contracts)) {
    const route: Route = { operations, allow: [...operations.keys()].sort().join(', ') };
    router.on('GET', path, () => undefined, route);
  }
  return {
    find: (target) => {
      const found = router.find('GET', target);
      return found && !hasEmptyParameter(found.params) ? (found.store as Route) : undefined;
    },
  };
}

// The router takes `/projects/` for a project without an id.
function hasEmptyParameter(params: Record<string, string | undefined>): boolean {
  for (const name in params) if (params[name] === '') return true;
  return false;
}

function operationsByPath(
  contracts: readonly Service[],
): Map<string, Map<string, RoutedOperation>> {
  const byPath = new Map<string, Map<string, RoutedOperation>>();
  for (const { name: service, operations } of contracts) {
    for (const [name, definition] of Object.entries(operations)) {
      if (definition.access === 'service') continue;
      const methods = byPath.get(definition.path) ?? new Map<string, RoutedOperation>();
      byPath.set(
        definition.path,
        methods.set(definition.method, routed(service, name, definition)),
      );
    }
  }
  return byPath;
}

const routed = (service: string, name: string, definition: Operation): RoutedOperation => ({
  name: `${service}.${name}`,
  service,
  access:
    definition.access === 'admin' || definition.access === 'signature'
      ? definition.access
      : 'member',
  bodyBytesMax:
    definition.bodyBytesMax ?? (definition.streams ? Number.POSITIVE_INFINITY : bodyBytesDefault),
  isStreamed: definition.streams !== undefined || definition.replyStreams !== undefined,
});

const bases = ['/v2', '/api/v2'];

/** The part of a raw request target below the base path; undefined when it is elsewhere. */
export function belowBase(target: string): string | undefined {
  for (const base of bases)
    if (target.startsWith(base) && target.charCodeAt(base.length) === slash)
      return target.slice(base.length);
  return undefined;
}

const slash = 0x2f;
