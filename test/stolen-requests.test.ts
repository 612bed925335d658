import { randomUUID } from 'node:crypto';
import { start as startCatalog } from '@assay/catalog/service';
import type { Identity } from '@assay/contracts/define';
import { start as startIdentity } from '@assay/identity/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { digestOf, noBody, requestAct, sealIdentity, streamedBody } from '@assay/runtime/signature';
import { keysOf } from '@assay/testing/keys';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSender } from './sealed-request.ts';

/**
 * Somebody reads what goes between gateway and services, and tries all that can be done with its
 * signatures.
 */
let world: World;
const keyHash = digestOf('a key that nobody has');

beforeAll(async () => {
  world = await startWorld({
    services: { identity: startIdentity, catalog: startCatalog, 'run-records': startRunRecords },
  });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => world.stop());

const send = createSender(() => world.urls);

describe('a signature that was seen on a request', () => {
  const seal = (
    method: string,
    path: string,
    digest: string,
    as: Partial<Identity> = {},
    receiver = 'catalog',
  ) =>
    sealIdentity(
      keysOf('gateway'),
      { ...world.identity, ...as },
      { act: requestAct(method, path), digest, receiver },
    );

  test('is good for its own method, path, query and body alone, and for half a minute', async () => {
    const body = JSON.stringify({ name: 'Mine', description: '' });
    const stolen = seal('POST', '/projects', digestOf(body));
    expect((await send('catalog', 'POST', '/projects', stolen, body)).status).toBe(201);
    expect(
      (await send('catalog', 'POST', '/projects', stolen, body.replace('Mine', 'Yours'))).status,
    ).toBe(401);
    expect((await send('catalog', 'POST', '/projects', stolen)).status).toBe(401);
    expect((await send('catalog', 'POST', '/projects?x=1', stolen, body)).status).toBe(401);
    expect((await send('catalog', 'GET', '/projects', stolen)).status).toBe(401);
    const read = seal('GET', '/projects?limit=1', noBody);
    expect((await send('catalog', 'GET', '/projects?limit=1', read)).status).toBe(200);
    expect((await send('catalog', 'GET', '/projects?limit=2', read)).status).toBe(401);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await send('catalog', 'GET', '/projects?limit=1', read)).status).toBe(401);
  });

  test('without a body brings none, and one that was bound to its body brings no stream', async () => {
    const path = `/runs/${randomUUID()}/records/bulk`;
    const lines = '{}\n';
    const upload = (digest: string, body?: string) =>
      send(
        'run-records',
        'POST',
        path,
        seal('POST', path, digest, {}, 'run-records'),
        body,
        'application/x-ndjson',
      );
    expect((await upload(noBody, lines)).status).toBe(401);
    expect((await upload(digestOf(lines), lines)).status).toBe(401);
    expect((await upload(streamedBody, lines)).status).toBe(404);
    expect((await upload(noBody)).status).toBe(404);
    const project = seal('POST', '/projects', noBody);
    expect(
      (
        await send(
          'catalog',
          'POST',
          '/projects',
          project,
          JSON.stringify({ name: 'Mine', description: '' }),
        )
      ).status,
    ).toBe(401);
  });

  test('of a signed URL is nobody: operations of members, admins and services refuse it, as they refuse the operator', async () => {
    for (const role of ['anonymous', 'operator'] as const) {
      const as = { identity: { organizationId: '', userId: '', role } };
      for (const [method, path, body] of [
        ['GET', '/organization'],
        ['POST', '/api-keys', { name: 'x' }],
        ['POST', '/internal/verify-key', { keyHash }],
        ['POST', '/internal/judgements', { runId: randomUUID(), judgements: [] }],
      ] as const)
        expect([role, path, (await world.request(method, path, body, as)).status]).toEqual([
          role,
          path,
          403,
        ]);
    }
  });
});
