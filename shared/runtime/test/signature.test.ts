import type { Identity } from '@assay/contracts/define';
import { expect, test, vi } from 'vitest';
import { openIdentity, sealIdentity } from '../signature.ts';

const identity: Identity = { organizationId: 'o', userId: 'u', role: 'member', apiKeyId: 'k', requestId: 'my.request-1' };

test('an identity comes out as it went in, with the request id of its own request', () => {
  expect(openIdentity('secret', sealIdentity('secret', identity))).toEqual(identity);
  expect(openIdentity('secret', sealIdentity('secret', { ...identity, requestId: 'two' })).requestId).toBe('two');
});

test('another secret, a changed caller or a changed signature is refused, also after the right one was seen', () => {
  const sealed = sealIdentity('secret', identity);
  openIdentity('secret', sealed);
  const [text, signature] = sealed.split('.');
  const forged = Buffer.from(JSON.stringify({ ...identity, role: 'admin', issuedAt: Date.now() })).toString('base64url');
  expect(() => openIdentity('other', sealed)).toThrow('not signed');
  expect(() => openIdentity('secret', `${forged}.${signature}.r`)).toThrow('not signed');
  expect(() => openIdentity('secret', `${text}.${signature!.slice(1)}A.r`)).toThrow('not signed');
  for (const missing of [undefined, '', 'x', '..']) expect(() => openIdentity('secret', missing)).toThrow('not signed');
});

test('an identity is good for five minutes on its way, and for ever where it was stored', () => {
  vi.useFakeTimers({ now: 0 });
  const sealed = sealIdentity('secret', identity);
  vi.setSystemTime(5 * 60_000);
  expect(openIdentity('secret', sealed).userId).toBe('u');
  vi.setSystemTime(5 * 60_000 + 1);
  expect(() => openIdentity('secret', sealed)).toThrow('not signed');
  expect(openIdentity('secret', sealed, { stored: true }).userId).toBe('u');
  vi.useRealTimers();
});
