import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The addresses of a host. */
export type Lookup = (host: string) => Promise<string[]>;

/** How often a name is looked up again. */
export const lookedUpEveryMs = 5000;

/**
 * The addresses of a name as this machine resolves it. Where it has some of both families, those of
 * IPv4: the same process answers at both.
 */
export const lookupAddresses: Lookup = async (host) => {
  const found = await lookup(host, { all: true });
  const family = Math.min(...found.map((each) => each.family));
  return found.filter((each) => each.family === family).map(({ address }) => address);
};

/**
 * Tells the addresses of a host, at once and whenever they have changed. An address needs no
 * lookup, and `localhost` is one process. A lookup that fails, or finds nothing, changes nothing: a
 * name server that is away does not take the service with it.
 */
export function watchAddresses(
  host: string,
  lookup: Lookup,
  changed: (addresses: string[]) => void,
): { stop(): void } {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0 || bare === 'localhost') return { stop: () => undefined };
  let told = '';
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  async function lookUpAgain() {
    const found = await lookup(bare).catch(() => []);
    if (isStopped) return;
    const addresses = [...new Set(found)].sort();
    if (addresses.length > 0 && addresses.join() !== told) {
      told = addresses.join();
      changed(addresses);
    }
    timer = setTimeout(lookUpAgain, lookedUpEveryMs).unref();
  }
  void lookUpAgain();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
