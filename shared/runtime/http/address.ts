import { BlockList, isIP } from 'node:net';

/** An address without a port, a zone, or the prefix under which IPv6 has those of IPv4. */
export function plainAddress(text: string): string | undefined {
  const address = text
    .trim()
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

/**
 * One client is an address of IPv4, or the /64 of one of IPv6: it has all addresses of that (RFC
 * 6177).
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = address.includes('::') ? [...before, ...zeros, ...after] : before;
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An address of IPv4 at the end stands for two groups, which belong to no network. */
const groupsOf = (part: string): string[] =>
  part === ''
    ? []
    : part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));

/** Reads addresses and ranges such as 10.0.0.0/8, separated by commas; undefined where one is none. */
export function readRanges(text: string): BlockList | undefined {
  const ranges = new BlockList();
  for (const each of text.split(',').map((range) => range.trim())) {
    const [address = '', bits, ...more] = each.split('/');
    const kind = isIP(address);
    const bitsMax = kind === 4 ? 32 : 128;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
    if (kind === 0 || !isRange || more.length > 0) return undefined;
    ranges.addSubnet(address, bits === undefined ? bitsMax : Number(bits), familyOf(kind));
  }
  return ranges;
}

export const isWithin = (ranges: BlockList, address: string): boolean =>
  ranges.check(address, familyOf(isIP(address)));

const familyOf = (kind: number): 'ipv4' | 'ipv6' => (kind === 4 ? 'ipv4' : 'ipv6');
