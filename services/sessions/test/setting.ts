import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorld, type World } from '@assay/testing/world';
import S3rver from 's3rver';
import { start } from '../src/service.ts';

export const publicUrl = 'http://public.test/v2';

export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The service on one kind of storage, in a folder of its own. */
export interface Setting {
  world: World;
  /** Fetches a URL that the service gave to a client, without a bearer. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** The files that hold content now, by their hashes. */
  contents(): Promise<string[]>;
  folder: string;
  stop(): Promise<void>;
}

export const startSetting = (kind: 'disk' | 's3'): Promise<Setting> =>
  kind === 'disk' ? startOnDisk() : startOnS3();

export async function startOnDisk(change: object = {}): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-attachments-'));
  const world = await startWorld({
    services: { sessions: start },
    config: { STORAGE: 'disk', ATTACHMENTS_FOLDER: folder, PUBLIC_URL: publicUrl, ...change },
  });
  return {
    world,
    folder,
    fetch: (url, init = {}) => {
      if (!url.startsWith(publicUrl)) throw new Error(`${url} is not under the public address`);
      const path = url.slice(publicUrl.length);
      const sealed = world.sealed(init.method ?? 'GET', path, {
        organizationId: '',
        role: 'anonymous',
      });
      return fetch(world.urls.sessions + path, {
        ...init,
        headers: { ...(init.headers as object), ...sealed },
      });
    },
    contents: () => hashesIn(folder, /^([0-9a-f]{64})$/),
    stop: async () => {
      await world.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function startOnS3(): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-s3-'));
  const s3 = await startS3(folder);
  const world = await startWorld({
    services: { sessions: start },
    config: { STORAGE: 's3', ...s3.config },
  });
  return {
    world,
    folder,
    fetch,
    contents: () => hashesIn(join(folder, 'files'), /^([0-9a-f]{64})\._S3rver_object$/),
    stop: async () => {
      await world.stop();
      await s3.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** An S3 server with an empty bucket. */
export async function startS3(directory: string) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'files' }],
  });
  const { port } = await server.run();
  const config = {
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_BUCKET: 'files',
    S3_REGION: 'us-east-1',
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_PATH_STYLE: true,
  };
  return { config, stop: () => server.close() };
}

async function hashesIn(folder: string, name: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.flatMap((entry) => name.exec(entry.split('/').at(-1)!)?.[1] ?? []);
}

/** What a client of a setting does. */
export function createClient({ world, fetch }: Setting) {
  const declare = (
    bytes: string | Uint8Array,
    change: object = {},
    options: Parameters<World['request']>[3] = {},
  ) => world.request('POST', '/attachments', { ...declarationOf(bytes), ...change }, options);
  const put = (url: string, body: string | Uint8Array) =>
    fetch(url, { method: 'PUT', body: body as string });
  const commit = (id: string, options: Parameters<World['request']>[3] = {}) =>
    world.request('POST', `/attachments/${id}/commit`, undefined, options);
  const get = async (id: string) => (await world.request('GET', `/attachments/${id}`)).body;
  return {
    declare,
    put,
    commit,
    get,
    /** All three steps: the committed attachment. */
    async attach(bytes: string | Uint8Array, change: object = {}) {
      const { id, uploadUrl } = (await declare(bytes, change)).body;
      await put(uploadUrl, bytes);
      return (await commit(id)).body;
    },
    async download(id: string): Promise<string> {
      return (await fetch((await get(id)).downloadUrl)).text();
    },
    list: (sessionId: string, query = '') =>
      world.request('GET', `/sessions/${encodeURIComponent(sessionId)}/attachments${query}`),
  };
}

const declarationOf = (bytes: string | Uint8Array) => ({
  sessionId: crypto.randomUUID() as string,
  filePath: 'logs/answer.txt',
  sha256: sha256Of(bytes),
  sizeBytes: Buffer.byteLength(bytes),
  contentType: 'text/plain',
});
