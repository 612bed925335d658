import { hashOf, isKey, newKey, prefixOf } from '@assay/runtime/api-key';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveRole, openExpiry } from '../src/domain/keys.ts';

describe('keys', () => {
  const bits = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test('every key has the documented form: ak_, 43 characters of secret, 6 of checksum', () => {
    fc.assert(
      fc.property(bits, (given) => {
        const key = newKey(given);
        expect(key).toMatch(/^ak_[0-9A-Za-z]{49}$/);
        expect(isKey(key)).toBe(true);
      }),
    );
    expect(isKey(newKey(new Uint8Array(32)))).toBe(true);
    expect(isKey(newKey(new Uint8Array(32).fill(255)))).toBe(true);
  });

  test('different bits make different keys', () => {
    fc.assert(
      fc.property(
        bits,
        bits,
        (one, other) => (newKey(one) === newKey(other)) === (Buffer.compare(one, other) === 0),
      ),
    );
  });

  test('a key with one wrong character is no key', () => {
    fc.assert(
      fc.property(
        bits,
        fc.integer({ min: 3, max: 51 }),
        fc.constantFrom('0', 'Z', 'q'),
        (given, at, letter) => {
          const key = newKey(given);
          fc.pre(key[at] !== letter);
          expect(isKey(key.slice(0, at) + letter + key.slice(at + 1))).toBe(false);
        },
      ),
    );
  });

  test('a known key has its known checksum and hash, so that scanners and the gateway can rely on them', () => {
    // CRC-32 of "0" × 43 and SHA-256 of the key, computed apart from this code with Python's zlib
    // and hashlib.
    const key = newKey(new Uint8Array(32));
    expect(key).toBe(`ak_${'0'.repeat(43)}2CZclj`);
    expect(hashOf(key)).toBe('sGQQaePDiMDtpj-yBitlEk6-10rkCcai7pgHd55r12Y');
    expect(prefixOf(key)).toBe('ak_0000000');
  });
});

describe('roles', () => {
  test('a key is an admin key only when both the key and its member are admins', () => {
    expect(effectiveRole('admin', 'admin')).toBe('admin');
    expect(effectiveRole('admin', 'member')).toBe('member');
    expect(effectiveRole('member', 'admin')).toBe('member');
    expect(effectiveRole('member', 'member')).toBe('member');
  });
});

describe('expiry', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  const issueOf = (text: string) => {
    try {
      openExpiry(text, now);
    } catch (error) {
      return (error as { details: unknown }).details;
    }
    return undefined;
  };

  test('an instant with an offset is kept as the same instant in UTC', () => {
    expect(openExpiry('2026-03-01T14:30:00.5+02:00', now)?.toISOString()).toBe(
      '2026-03-01T12:30:00.500Z',
    );
    expect(openExpiry(null, now)).toBe(null);
  });

  test('what has passed, this very instant included, is refused at /expiresAt', () => {
    const past = { issues: [{ path: '/expiresAt', message: 'must be in the future' }] };
    expect(issueOf('2026-03-01T12:00:00.000Z')).toEqual(past);
    expect(issueOf('2026-03-01T13:59:59.999+02:00')).toEqual(past);
    expect(issueOf('2026-03-01T12:00:00.001Z')).toBe(undefined);
  });

  test('an instant that is in the year 10000 in UTC is refused, because no timestamp of ours can say it', () => {
    expect(issueOf('9999-12-31T23:59:59-01:00')).toEqual({
      issues: [{ path: '/expiresAt', message: 'must be before the year 10000' }],
    });
  });
});
