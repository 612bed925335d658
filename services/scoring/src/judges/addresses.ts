import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { refusal } from './refusal.ts';

/**
 * Networks of IANA's registries of special-purpose addresses that judges of a network of one's own
 * may be in.
 */
const privateNetworks = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
];
/**
 * Those that no name of a judge leads to: link-local (where clouds keep their metadata),
 * unspecified, reserved, multicast, tunnels, translations.
 */
const unreachableNetworks = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // All of ::/96 but the unspecified address and loopback: IPv4 in a form that was given up.
  '::2-::ffff:ffff',
  '::ffff:0:0:0/96',
  // The wire server of Azure, although it is in a public network.
  '168.63.129.16/32',
  // The metadata service of Amazon over IPv6, although it is in a private network.
  'fd00:ec2::254/128',
];

export type Resolve = typeof resolveName;

/**
 * Looks names up for connections to judges, which are made to the addresses that were looked at
 * here and no other. An address or `localhost` in a base URL is the operator's own choice; a name
 * must lead to public addresses, unless it is one of `privateHosts`.
 */
export function createLookup({
  privateHosts,
  resolve = resolveName,
}: {
  privateHosts: ReadonlySet<string>;
  resolve?: Resolve | undefined;
}): LookupFunction {
  const isPrivate = createMembership(privateNetworks);
  const isUnreachable = createMembership(unreachableNetworks);

  function faultOf(name: string, address: string): string | undefined {
    if (isLocalhost(name)) return undefined;
    if (isIP(address) === 0 || isUnreachable(address))
      return `The host ${name} has the address ${address}, at which no judge is asked.`;
    if (!isPrivate(address) || privateHosts.has(name)) return undefined;
    return `The host ${name} has the private address ${address}: name it in JUDGE_PRIVATE_HOSTS if judges may be asked there.`;
  }

  return (name, options, callback) =>
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const fault = addresses.flatMap(
        ({ address }) => faultOf(name.toLowerCase(), address) ?? [],
      )[0];
      if (fault !== undefined) return callback(refusal(fault), '');
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0]!.address, addresses[0]!.family);
    });
}

const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

function createMembership(networks: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [first, last] = network.split('-') as [string, string?];
    const [address, bits] = first.split('/') as [string, string];
    if (last !== undefined) list.addRange(first, last, familyOf(first));
    else list.addSubnet(address, Number(bits), familyOf(address));
    // NAT64 leads to the IPv4 address at its end (RFC 6052); one that is mapped is compared as IPv4
    // already.
    if (isIP(address) === 4) list.addSubnet(`64:ff9b::${address}`, 96 + Number(bits), 'ipv6');
  }
  return (address) => list.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
