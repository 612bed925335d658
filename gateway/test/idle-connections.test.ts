import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { connect, headOf } from './connection.ts';
import { startSetting } from './setting.ts';

const idle = 10_000;

/** Clients in a process of its own, since each side of a connection takes a file descriptor. */
function startIdleClients(port: string, count: number) {
  const program = fileURLToPath(new URL('idle-clients.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, port, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen = { open: false, closed: 0 };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'open') seen.open = true;
    else seen.closed += 1;
  });
  return { seen, end: () => child.kill('SIGKILL') };
}

const { open_files: files } = (
  process.report!.getReport() as { userLimits: Record<string, { soft: number | string }> }
).userLimits;
const filesMax = Number(files!.soft === 'unlimited' ? Number.POSITIVE_INFINITY : files!.soft);
// The other tests of this process have files open too.
const hasRoom = filesMax >= idle + 2000;

test.skipIf(!hasRoom)(
  hasRoom
    ? '10,000 idle connections keep nobody out who has a key, and all that they held is given back'
    : `10,000 idle connections were not tried: this process may have ${filesMax} open files`,
  async () => {
    await using setting = await startSetting({ CONNECTIONS_MAX: idle });
    setting.service.behave((_request, response) => response.end('{}'));
    const metric = async (name: string) =>
      Number(
        new RegExp(`^${name}{[^}]*} (\\d+)$`, 'm').exec(
          await (await fetch(`${setting.gateway.url}/metrics`)).text(),
        )?.[1],
      );
    const first = connect(setting.gateway.url);
    const ask = headOf('GET', '/projects', { authorization: `Bearer ${setting.key}` });
    first.write(ask);
    expect((await first.reply()).status).toBe(200);

    const clients = startIdleClients(new URL(setting.gateway.url).port, idle);
    await poll('all are open', () => clients.seen.open);
    const late = connect(setting.gateway.url);
    for (const client of [late, first]) {
      client.write(ask);
      expect((await client.reply()).status).toBe(200);
    }
    expect(await metric('assay_connections')).toBe(idle);
    const closed = await metric('assay_closed_connections_total');
    expect(closed).toBeGreaterThan(0);
    expect(closed).toBeLessThan(20);
    await poll('those clients notice it', () => clients.seen.closed === closed);

    clients.end();
    await poll(
      'their connections are given back',
      async () => (await metric('assay_connections')) < 20,
    );
    for (const client of [late, first]) {
      client.write(ask);
      expect((await client.reply()).status).toBe(200);
      client.vanish();
    }
    expect(await metric('assay_closed_connections_total')).toBe(closed);
  },
  180_000,
);
