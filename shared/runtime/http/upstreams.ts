import { Pool } from 'undici';

/** One process of a service. */
export interface Replica {
  /** Its base URL, without a path. */
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
  replicas: readonly Replica[];
  /**
   * The replicas in the order in which one request tries them: in turn, those that could not be
   * reached last.
   */
  inTurn(): Replica[];
}

interface UpstreamOptions {
  service: string;
  /** Base URLs, separated by commas. */
  urls: string;
  /** How long a service may take to begin its reply, and then between two pieces of it. */
  timeoutMs: number;
}

/** How long a connection to a replica may take to be made. */
export const connectTimeoutMs = 2000;
const avoidedMs = 1000;

/**
 * Kept-alive connections to every replica of a service. Their number has no limit of its own: each
 * serves a client that waits.
 */
export function createUpstream({ service, urls, timeoutMs }: UpstreamOptions): Upstream {
  const replicas = urls.split(',').map((url) => {
    const { origin } = new URL(url.trim());
    const pool = new Pool(origin, {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: connectTimeoutMs },
    });
    return { origin, pool, avoidedUntilMs: 0 };
  });
  let turn = 0;
  return {
    service,
    replicas,
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
  };
}

/** Notes that a replica could not be reached. */
export function avoid(replica: Replica): void {
  replica.avoidedUntilMs = performance.now() + avoidedMs;
}
