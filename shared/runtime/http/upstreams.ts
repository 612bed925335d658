import { Pool } from 'undici';
import { type Lookup, lookupAddresses, watchAddresses } from './addresses.ts';

/** One process of a service. */
export interface Replica {
  /** The base URL by which it was named, without a path; replicas of one name share it. */
  origin: string;
  pool: Pool;
  /**
   * Until then the others are tried first, because it could not be reached: a time of
   * `performance.now()`, which nobody sets back.
   */
  avoidedUntilMs: number;
}

/** The processes of one service. */
export interface Upstream {
  service: string;
  /** Those that are there now. */
  replicas(): readonly Replica[];
  /**
   * The replicas in the order in which one request tries them: in turn, those that could not be
   * reached last.
   */
  inTurn(): readonly Replica[];
  /** Ends the connections once their requests are answered. */
  close(): Promise<void>;
}

interface UpstreamOptions {
  service: string;
  /**
   * Base URLs, separated by commas. A host that is a name is looked up again and again: each of its
   * addresses is a replica.
   */
  urls: string;
  /** How long a service may take to begin its reply, and then between two pieces of it. */
  timeoutMs: number;
  lookup?: Lookup;
}

/** How long a connection to a replica may take to be made. */
export const connectTimeoutMs = 2000;
const avoidedMs = 1000;

/**
 * Kept-alive connections to every replica of a service. Their number has no limit of its own: each
 * serves a client that waits.
 */
export function createUpstream({
  service,
  urls,
  timeoutMs,
  lookup = lookupAddresses,
}: UpstreamOptions): Upstream {
  const sets = urls
    .split(',')
    .map((url) =>
      createReplicas({ origin: new URL(url.trim()).origin, timeoutMs, lookup, changed }),
    );
  let replicas: readonly Replica[] = [];
  // Gathered when an address comes or goes, since every request reads them.
  function changed() {
    replicas = sets.flatMap((set) => set.replicas());
  }
  changed();
  let turn = 0;
  return {
    service,
    replicas: () => replicas,
    inTurn: () => {
      if (replicas.length === 1) return replicas;
      turn = (turn + 1) % replicas.length;
      const rotated = [...replicas.slice(turn), ...replicas.slice(0, turn)];
      const now = performance.now();
      return [
        ...rotated.filter((replica) => replica.avoidedUntilMs <= now),
        ...rotated.filter((replica) => replica.avoidedUntilMs > now),
      ];
    },
    close: async () => {
      await Promise.all(sets.map(({ close }) => close()));
    },
  };
}

interface Replicas {
  replicas(): Replica[];
  close(): Promise<void>;
}

/**
 * The replicas behind one base URL: one for each address of its host. An address that the name has
 * no more gets no new requests, and those that are on their way end as they would.
 */
function createReplicas({
  origin,
  timeoutMs,
  lookup,
  changed,
}: {
  origin: string;
  timeoutMs: number;
  lookup: Lookup;
  changed: () => void;
}): Replicas {
  const open = (address?: string): Replica => {
    const pinned = address === undefined ? {} : { lookup: alwaysThis(address) };
    const pool = new Pool(origin, {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: connectTimeoutMs, ...pinned },
    });
    return { origin, pool, avoidedUntilMs: 0 };
  };
  // By address; that of the name itself serves until the first lookup is done.
  let replicas = new Map<string | undefined, Replica>([[undefined, open()]]);
  const leaving = new Set<Promise<void>>();
  const watch = watchAddresses(new URL(origin).hostname, lookup, (addresses) => {
    const [before, known] = [replicas, new Set<string | undefined>(addresses)];
    replicas = new Map(addresses.map((address) => [address, before.get(address) ?? open(address)]));
    for (const [address, { pool }] of before) {
      if (known.has(address)) continue;
      const closed = pool.close().finally(() => leaving.delete(closed));
      leaving.add(closed);
    }
    changed();
  });
  return {
    replicas: () => [...replicas.values()],
    close: async () => {
      watch.stop();
      await Promise.all([...leaving, ...[...replicas.values()].map(({ pool }) => pool.close())]);
    },
  };
}

type NodeLookup = NonNullable<import('node:net').TcpSocketConnectOpts['lookup']>;

/** The name stays that of the certificate and of the request; its connection goes to this address. */
function alwaysThis(address: string): NodeLookup {
  const family = address.includes(':') ? 6 : 4;
  return (_host, options, answer) =>
    options.all ? answer(null, [{ address, family }]) : answer(null, address, family);
}

/** Notes that a replica could not be reached. */
export function avoid(replica: Replica): void {
  replica.avoidedUntilMs = performance.now() + avoidedMs;
}
