import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createLookup, type Resolve } from '../src/judges/addresses.ts';

/** Where a lookup leads whose name server answers with this address; a refusal is its sentence. */
function lookUp(
  address: string,
  name = 'judge.example',
  privateHosts: string[] = [],
): Promise<string> {
  const resolve = ((
    _name: string,
    _options: object,
    callback: (error: null, found: LookupAddress[]) => void,
  ) => callback(null, [{ address, family: address.includes(':') ? 6 : 4 }])) as unknown as Resolve;
  const lookup = createLookup({ privateHosts: new Set(privateHosts), resolve });
  return new Promise((settle) => {
    lookup(name, {}, (error, found) => settle(error ? error.message : (found as string)));
  });
}

/**
 * Published ways of naming what is inside: PayloadsAllTheThings (Server Side Request Forgery), the
 * OWASP SSRF cheat sheet, and the registries of special-purpose addresses (RFC 6890). Names such as
 * 127.0.0.1.nip.io, and numbers such as 2130706433, are looked up like any other name, so their
 * addresses are looked at here.
 */
describe('a name that leads inside is refused', () => {
  test.each([
    ['loopback', '127.0.0.1'],
    ['another loopback', '127.127.127.127'],
    ['the address of a name of nip.io', '10.0.0.1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1'],
    ['IPv4 in IPv6, in hexadecimal', '::ffff:7f00:1'],
    ['IPv4 in IPv6, written out', '0:0:0:0:0:ffff:10.0.0.1'],
    ['loopback of IPv6, written out', '0000:0000:0000:0000:0000:0000:0000:0001'],
    ["Alibaba's metadata, in a shared network", '100.100.100.200'],
    ['a private network by NAT64', '64:ff9b::10.0.0.1'],
    ['a unique local address', 'fd12:3456:789a::1'],
  ])('unless the operator allows it: %s', async (_name, address) => {
    expect(await lookUp(address)).toContain('has the private address');
    expect(await lookUp(address, 'judge.example', ['judge.example'])).toBe(address);
  });

  test.each([
    ['metadata of AWS, Google, Azure, DigitalOcean', '169.254.169.254'],
    ['metadata in IPv6', '::ffff:169.254.169.254'],
    ['metadata in IPv6, in hexadecimal', '::ffff:a9fe:a9fe'],
    ['metadata by NAT64 (RFC 6052)', '64:ff9b::a9fe:a9fe'],
    ['metadata by NAT64, in decimal', '64:ff9b::169.254.169.254'],
    ['metadata by 6to4', '2002:a9fe:a9fe::1'],
    ['metadata as an address compatible with IPv4', '::169.254.169.254'],
    ['loopback as an address compatible with IPv4', '::127.0.0.1'],
    ['IPv4 translated (RFC 2765)', '::ffff:0:169.254.169.254'],
    ['Teredo', '2001:0:a9fe:a9fe::1'],
    ["Amazon's metadata over IPv6", 'fd00:ec2::254'],
    ["Azure's wire server", '168.63.129.16'],
    ["Oracle's metadata", '192.0.0.192'],
    ["tasks' metadata of ECS", '169.254.170.2'],
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['nothing', '::'],
    ['a link', 'fe80::1'],
    ['a link with its zone', 'fe80::1%eth0'],
    ['a site', 'fec0::1'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['what is no address', '0x7f000001'],
    ['an address in octal', '0177.0.0.1'],
    ['a short address', '127.1'],
  ])('whatever the operator allows: %s', async (_name, address) => {
    expect(await lookUp(address, 'judge.example', ['judge.example'])).toContain(
      'at which no judge is asked',
    );
  });

  test.each([
    'metadata.google.internal',
    'metadata',
    'localhost.evil.example',
    'judge.example.',
    'LOCALHOST.',
    '127.0.0.1.nip.io',
  ])('by any name: %s', async (name) => {
    expect(await lookUp('169.254.169.254', name)).toContain('at which no judge is asked');
  });
});

test.each(['93.184.215.14', '1.1.1.1', '2606:4700:4700::1111', '64:ff9b::101:101'])(
  'a name that leads outside is taken: %s',
  async (address) => {
    expect(await lookUp(address)).toBe(address);
  },
);

test.each([
  ['decimal', 'http://2130706433/'],
  ['hexadecimal', 'http://0x7f000001/'],
  ['octal', 'http://0177.0.0.1/'],
  ['short', 'http://127.1/'],
  ['wide digits', 'http://１２７.０.０.１/'],
  ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
  ['ideographic stops', 'http://127。0。0。1/'],
  ['percent signs', 'http://%31%32%37.0.0.1/'],
  ['behind a user', 'http://judge.example@127.0.0.1/'],
  ['behind a backslash', 'http:\\\\127.0.0.1\\@judge.example/'],
  ['a dot at its end', 'http://127.0.0.1./'],
])('an address of a URL has one spelling when it is compared: %s', (_name, url) => {
  expect(new URL(url).hostname).toBe('127.0.0.1');
});
