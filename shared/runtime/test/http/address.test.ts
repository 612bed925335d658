import { expect, test } from 'vitest';
import { isWithin, networkOf, plainAddress, readRanges } from '../../http/address.ts';

test('an address is read without its port, its zone and the prefix of IPv4', () => {
  for (const text of ['192.0.2.7', ' 192.0.2.7:443', '::ffff:192.0.2.7', '::FFFF:192.0.2.7'])
    expect(plainAddress(text)).toBe('192.0.2.7');
  for (const text of ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443', '2001:db8::1%eth0'])
    expect(plainAddress(text)).toBe('2001:db8::1');
  for (const text of ['', 'unknown', '_hidden', '300.1.1.1', '1.2.3', 'a.example'])
    expect(plainAddress(text)).toBeUndefined();
});

test('one client is an address of IPv4, or a network of 64 bits', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('')).toBe('');
  for (const address of ['2001:db8:0:7::', '2001:0db8:0:0007:1:2:3:4', '2001:DB8::7:0:0:0:1'])
    expect(networkOf(address)).toBe('2001:db8:0:7::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
  expect(networkOf('64:ff9b::192.0.2.7')).toBe('64:ff9b:0:0::/64');
});

test('ranges hold the addresses within them, of both kinds', () => {
  const ranges = readRanges('10.0.0.0/8, 192.0.2.7,2001:db8::/32')!;
  for (const address of ['10.1.2.3', '192.0.2.7', '2001:db8:1::1'])
    expect(isWithin(ranges, address)).toBe(true);
  for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1'])
    expect(isWithin(ranges, address)).toBe(false);
  for (const text of ['', '10.0.0.0/33', '10.0.0.0/', 'x', '::/129', '10.0.0.0/8/8', '1.2.3.4,'])
    expect(readRanges(text)).toBeUndefined();
});
