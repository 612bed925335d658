import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '@assay/contracts/define';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { keysFileOf, makeKeysFile, openKeys, type ProcessKeys } from '../keys.ts';
import { createLog } from '../log.ts';
import {
  type Act,
  identityHeader,
  noBody,
  openIdentity,
  ownKeys,
  sealIdentity,
  senderHeader,
} from '../signature.ts';

const identity: Identity = {
  organizationId: 'o',
  userId: 'u',
  role: 'admin',
  apiKeyId: null,
  requestId: 'r',
};
const question: Act = { purpose: 'question', subject: 'assay.question.catalog.baseline' };
const stored: Act = { purpose: 'stored', subject: 'assay.event.catalog.projectDeleted\nid' };
const log = createLog({ name: 'test', level: 'silent' });
const [first, second] = ['a'.repeat(43), 'b'.repeat(43)];
const secret = 's'.repeat(32);

const folderOf = (): string => mkdtempSync(join(tmpdir(), 'assay-keys-'));
const write = (folder: string, roots: string[], process: string): void =>
  writeFileSync(keysFileOf(folder, process), JSON.stringify(makeKeysFile(roots, process)));

function keysOf(
  process: string,
  { roots = [first], ...shared }: { roots?: string[]; ASSAY_SECRET?: string } = {},
): ProcessKeys {
  const folder = folderOf();
  write(folder, roots, process);
  return openKeys({ ASSAY_KEYS_FOLDER: folder, ...shared }, process, log);
}

const seal = (keys: ProcessKeys, receiver: string | undefined = 'catalog', act = question) =>
  sealIdentity(keys, identity, { act, digest: noBody, receiver });
const open = (keys: ProcessKeys, headers: Record<string, string>, act = question) =>
  openIdentity(keys, (name) => headers[name], act);

test('a process is known by its own key, and only to the one that it asks', () => {
  const headers = seal(keysOf('results'));
  expect(open(keysOf('catalog'), headers)).toMatchObject({ identity, sender: 'results' });
  expect(() => open(keysOf('metrics'), headers)).toThrow('not signed');
});

test('a process cannot sign as another, although it knows the keys of those who ask it', () => {
  const catalog = keysOf('catalog');
  const headers = seal(keysOf('results'));
  const [, signature] = headers[senderHeader]!.split('.');
  for (const name of ['gateway', 'identity', 'catalog', '', '__proto__'])
    expect(() => open(catalog, { ...headers, [senderHeader]: `${name}.${signature}` })).toThrow(
      'not signed',
    );
  // With what it has from `results`, catalog is still no `results` to metrics.
  const [stolen] = catalog.from('results');
  const forged = seal({ ...catalog, process: 'results', towards: () => [stolen!] }, 'metrics');
  expect(() => open(keysOf('metrics'), forged)).toThrow('not signed');
});

test('a process has no key towards one that the permissions do not name', () => {
  expect(() => seal(keysOf('systems'), 'metrics')).toThrow('no key towards metrics');
});

test('a message of a stream is known by the publishing key of its process, to those who read it', () => {
  const headers = sealIdentity(keysOf('catalog'), identity, {
    act: stored,
    digest: noBody,
    receiver: undefined,
  });
  expect(open(keysOf('sessions'), headers, stored)).toMatchObject({ sender: 'catalog' });
  expect(open(keysOf('catalog'), headers, stored)).toMatchObject({ sender: 'catalog' });
  expect(() => open(keysOf('results'), headers, stored)).toThrow('not signed');
});

test('while a new root takes the place of the old one, both are accepted in every step', () => {
  const steps = [[first], [first, second], [second, first], [second]];
  for (const [number, roots] of steps.entries())
    for (const other of steps.slice(Math.max(0, number - 1), number + 2)) {
      expect(
        open(keysOf('catalog', { roots: other }), seal(keysOf('results', { roots }))),
      ).toMatchObject({ sender: 'results' });
    }
  expect(() =>
    open(keysOf('catalog', { roots: [second] }), seal(keysOf('results', { roots: [first] }))),
  ).toThrow('not signed');
});

test('beside the one secret, keys are understood by processes with both, with the secret alone, and with keys alone', () => {
  const alone = openKeys({ ASSAY_SECRET: secret }, 'catalog', log);
  const [withBoth, caller] = ['catalog', 'results'].map((name) =>
    keysOf(name, { ASSAY_SECRET: secret }),
  );
  const sealed = seal(caller!);
  expect(open(alone, sealed)).toMatchObject({ identity, sender: undefined });
  expect(open(withBoth!, sealed)).toMatchObject({ sender: 'results' });
  expect(open(keysOf('catalog'), sealed)).toMatchObject({ sender: 'results' });
  // A process before 0.3.0 knows one header.
  const former = seal(openKeys({ ASSAY_SECRET: secret }, 'results', log));
  expect(Object.keys(former)).toEqual([identityHeader]);
  expect(open(withBoth!, former)).toMatchObject({ identity, sender: undefined });
  expect(() => open(keysOf('catalog'), former)).toThrow('not signed');
});

test('a file that has changed is read again while the process runs; one that is wrong changes nothing', async () => {
  const folder = folderOf();
  write(folder, [first], 'catalog');
  const keys = openKeys({ ASSAY_KEYS_FOLDER: folder }, 'catalog', log);
  const [before] = ownKeys(keys);
  const file = keysFileOf(folder, 'catalog');
  writeFileSync(file, '{');
  utimesSync(file, 1, 1);
  write(folder, [second], 'results');
  expect(ownKeys(keys)).toEqual([before]);
  write(folder, [second], 'catalog');
  utimesSync(file, 2, 2);
  await poll('the new key signs', () => ownKeys(keys)[0] !== before);
});

test('without keys, and with ones that cannot be used, a process says what to do', () => {
  expect(() => openKeys({}, 'catalog', log)).toThrow('ASSAY_KEYS_FOLDER is not set');
  const folder = folderOf();
  expect(() => openKeys({ ASSAY_KEYS_FOLDER: folder }, 'catalog', log)).toThrow(
    `${keysFileOf(folder, 'catalog')} cannot be read (ENOENT): make it by \`npm run keys\`.`,
  );
  writeFileSync(keysFileOf(folder, 'catalog'), '{"own":[]}');
  expect(() => openKeys({ ASSAY_KEYS_FOLDER: folder }, 'catalog', log)).toThrow(
    'does not hold the keys of a process',
  );
});
