import type { Identity } from '@assay/contracts/define';
import { afterEach, expect, test, vi } from 'vitest';
import { openCursor, sealCursor } from '../http/cursor.ts';
import { keysOfSecret, type ProcessKeys } from '../keys.ts';
import {
  type Act,
  checkBody,
  digestOf,
  identityHeader,
  noBody,
  openIdentity,
  openMessage,
  requestAct,
  sealIdentity,
  streamedBody,
} from '../signature.ts';

const identity: Identity = {
  organizationId: 'o',
  userId: 'u',
  role: 'member',
  apiKeyId: 'k',
  requestId: 'my.request-1',
};
const request = requestAct('POST', '/runs/1/records?a=b');
const question: Act = { purpose: 'question', subject: 'assay.question.catalog.project' };
const stored: Act = { purpose: 'stored', subject: 'assay.event.catalog.projectDeleted\nid-1' };
const payload = Buffer.from('{"projectId":"p"}');
const [keys, otherKeys] = [keysOfSecret('secret'), keysOfSecret('other')];
const seal = (act: Act, of = identity): string =>
  sealIdentity(keys, of, { act, digest: digestOf(payload), receiver: 'catalog' })[identityHeader]!;
const openWith = (own: ProcessKeys, sealed: string | undefined, act: Act) =>
  openIdentity(own, (name) => (name === identityHeader ? sealed : undefined), act);
const open = (sealed: string | undefined, act: Act) => openWith(keys, sealed, act);

afterEach(() => {
  vi.useRealTimers();
});

test('an identity comes out as it went in, with the request id of its own request', () => {
  for (const act of [request, question, stored])
    expect(open(seal(act), act)).toMatchObject({ identity, digest: digestOf(payload) });
  expect(open(seal(request, { ...identity, requestId: 'two' }), request).identity.requestId).toBe(
    'two',
  );
});

test('another secret, a changed caller, time, digest, signature or request id is refused, also after the right one was seen', () => {
  const sealed = seal(request);
  open(sealed, request);
  const [caller, time, digest, signature] = sealed.split('.');
  const admin = Buffer.from(
    JSON.stringify({ organizationId: 'o', userId: 'u', role: 'admin', apiKeyId: 'k' }),
  ).toString('base64url');
  expect(() => openWith(otherKeys, sealed, request)).toThrow('not signed');
  for (const forged of [
    `${admin}.${time}.${digest}.${signature}.my.request-1`,
    `${caller}.${Number(time) + 1}.${digest}.${signature}.my.request-1`,
    `${caller}.${time}.${digestOf('')}.${signature}.my.request-1`,
    `${caller}.${time}.${streamedBody}.${signature}.my.request-1`,
    `${caller}.${time}.${digest}.${signature!.slice(1)}A.my.request-1`,
    `${caller}.${time}.${digest}.${signature}.another`,
    undefined,
    '',
    'x',
    '....',
  ])
    expect(() => open(forged, request), String(forged)).toThrow('not signed');
});

test('what was signed for one request, question or message is good for no other, and for no other kind', () => {
  const acts: Act[] = [
    request,
    requestAct('PUT', '/runs/1/records?a=b'),
    requestAct('POST', '/runs/2/records?a=b'),
    requestAct('POST', '/runs/1/records?a=c'),
    requestAct('POST', '/runs/1/records'),
    question,
    { ...question, subject: 'assay.question.catalog.testset' },
    stored,
    { ...stored, subject: 'assay.event.catalog.projectDeleted\nid-2' },
    { ...stored, subject: 'assay.event.catalog.testsetDeleted\nid-1' },
    ...(['request', 'question', 'stored'] as const).flatMap((purpose) =>
      purpose === 'question' ? [] : [{ purpose, subject: question.subject }],
    ),
  ];
  for (const signed of acts)
    for (const asked of acts.filter((act) => act !== signed))
      expect(() => open(seal(signed), asked), `${signed.subject} as ${asked.subject}`).toThrow(
        'not signed',
      );
});

test('a message with another payload than the signed one is refused', () => {
  const headerOf = () => seal(question);
  expect(openMessage(keys, headerOf, question, payload).identity).toEqual(identity);
  expect(() => openMessage(keys, headerOf, question, Buffer.from('{"projectId":"q"}'))).toThrow(
    'not signed',
  );
});

test('a body is good where it was signed, or signed to be a stream; none is good where none was signed', () => {
  checkBody(digestOf(payload), payload);
  checkBody(streamedBody, payload);
  checkBody(noBody, undefined);
  checkBody(noBody, Buffer.alloc(0));
  for (const [digest, bytes] of [
    [digestOf(payload), Buffer.from('{}')],
    [digestOf(payload), undefined],
    [noBody, payload],
    ['', payload],
  ] as const)
    expect(() => checkBody(digest, bytes)).toThrow('not signed');
});

test('requests and questions are good for half a minute, by clocks that run before or behind; stored messages for ever', () => {
  vi.useFakeTimers({ now: 100_000 });
  const sealed = { request: seal(request), question: seal(question), stored: seal(stored) };
  for (const now of [130_000, 70_000]) {
    vi.setSystemTime(now);
    expect(open(sealed.request, request).identity.userId).toBe('u');
    expect(open(sealed.question, question).identity.userId).toBe('u');
  }
  for (const now of [130_001, 69_999]) {
    vi.setSystemTime(now);
    expect(() => open(sealed.request, request)).toThrow('not signed');
    expect(() => open(sealed.question, question)).toThrow('not signed');
    expect(open(sealed.stored, stored).identity.userId).toBe('u');
  }
});

test('a cursor is good for the list and the organization that it was made for, and is no signature of anything else', () => {
  const list = (organizationId: string) =>
    JSON.stringify({ operation: 'catalog.listProjects', organizationId });
  const cursor = sealCursor(['secret'], list('o'), 'after');
  expect(openCursor(['secret'], list('o'), cursor)).toBe('after');
  expect(() => openCursor(['secret'], list('p'), cursor)).toThrow('nextCursor');
  expect(() => openCursor(['other'], list('o'), cursor)).toThrow('nextCursor');
});
