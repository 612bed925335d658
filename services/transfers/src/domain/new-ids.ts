import { createHmac } from 'node:crypto';

/** Ids that are looked up again and again: of runs, metrics and members. */
const knownMax = 10_000;

/**
 * Makes the new id of each id of a file: always the same one, by the import's secret, so that no map
 * is held and a reference may stand anywhere. The instant and the sequence of the former id stay,
 * and with them the order; the 42 random bits are others (RFC 9562, UUIDv7). No id of a
 * file leads to a resource outside of its import.
 */
export function createNewIds(idSecret: string): (id: string) => string {
  let known = new Map<string, string>();
  return (given) => {
    const id = given.toLowerCase();
    const before = known.get(id);
    if (before !== undefined) return before;
    const made = newIdOf(idSecret, id);
    if (known.size === knownMax) known = new Map();
    known.set(id, made);
    return made;
  };
}

function newIdOf(idSecret: string, id: string): string {
  const random = createHmac('sha256', idSecret).update(id).digest().subarray(0, 6);
  const sequenceEnd = Number.parseInt(id.slice(24, 26), 16) & 0xfc;
  random[0] = sequenceEnd | (random[0]! & 0x03);
  return `${id.slice(0, 14)}7${id.slice(15, 24)}${random.toString('hex')}`;
}
