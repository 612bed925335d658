import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../src/binaries/program.ts';
import { fetchArchive } from '../src/binaries/vendor.ts';
import { makeFolder } from './setting.ts';

async function makeArchive(): Promise<Buffer> {
  const folder = await makeFolder();
  await mkdir(join(folder, 'server-1.0.0'));
  await writeFile(join(folder, 'server-1.0.0', 'server'), 'the server');
  await runProgram({
    command: 'tar',
    args: ['-czf', 'server.tgz', 'server-1.0.0'],
    folder,
    timeoutMs: 10_000,
  });
  return readFile(join(folder, 'server.tgz'));
}

/** A vendor that answers with these bodies; a path that it does not know is a 404. */
async function startVendor(bodies: Record<string, Buffer | string>): Promise<string> {
  const vendor = createServer((request, response) => {
    const body = bodies[request.url!];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  vendor.listen(0, '127.0.0.1');
  await once(vendor, 'listening');
  onTestFinished(() => {
    vendor.closeAllConnections();
    vendor.close();
  });
  return `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
}

const fetchFrom = async (vendor: string): Promise<string> =>
  fetchArchive({
    url: `${vendor}/server.tgz`,
    checksumsUrl: `${vendor}/SHA256SUMS`,
    member: 'server-1.0.0/server',
    folder: await makeFolder(),
    log: () => undefined,
  });

const sha256Of = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('hex');

describe('fetchArchive', () => {
  it("unpacks an archive that has the vendor's checksum", async () => {
    const archive = await makeArchive();
    const checksums = `${sha256Of('another')}  another.tgz\n${sha256Of(archive)}  server.tgz\n`;
    const file = await fetchFrom(
      await startVendor({ '/server.tgz': archive, '/SHA256SUMS': checksums }),
    );
    expect(await readFile(file, 'utf8')).toBe('the server');
  });

  it('refuses an archive that has another checksum', async () => {
    const checksums = `${sha256Of('another')}  server.tgz\n`;
    const vendor = await startVendor({
      '/server.tgz': await makeArchive(),
      '/SHA256SUMS': checksums,
    });
    await expect(fetchFrom(vendor)).rejects.toThrow(/server\.tgz has the SHA-256/);
  });

  it('refuses an archive that has no published checksum', async () => {
    const vendor = await startVendor({
      '/server.tgz': await makeArchive(),
      '/SHA256SUMS': `${sha256Of('another')}  another.tgz\n`,
    });
    await expect(fetchFrom(vendor)).rejects.toThrow(/has no SHA-256 of server\.tgz/);
    await expect(fetchFrom(await startVendor({}))).rejects.toThrow(/SHA256SUMS answered 404/);
  });

  it('gives up a vendor that takes the connection and never answers', async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    await expect(
      fetchFrom(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`),
    ).rejects.toThrow(/cannot be reached/);
  });
});
