import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@assay/runtime/config';
import { expect, test } from 'vitest';
import { readSessionsConfig } from '../src/config.ts';
import { createS3Storage } from '../src/storage/s3.ts';
import { sha256Of, startS3 } from './setting.ts';

const upload = { attachmentId: 'a', organizationId: 'o', sha256: sha256Of('x'), sizeBytes: 1 };
const s3 = {
  S3_ENDPOINT: 'https://s3.example.com',
  S3_BUCKET: 'files',
  S3_REGION: 'eu-central-1',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  S3_PATH_STYLE: false,
};
const service = {
  NATS_URL: 'nats://localhost',
  MONGODB_URI: 'mongodb://localhost',
  ASSAY_SECRET: 'x'.repeat(32),
};

test('a bucket is in the host name, or with path style in the path', async () => {
  const soon = new Date(Date.now() + 60_000);
  const url = new URL(await createS3Storage(s3).uploadUrl(upload, soon));
  expect([url.host, url.pathname]).toEqual([
    'files.s3.example.com',
    `/uploads/o/a/${upload.sha256}`,
  ]);
  expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
  const inPath = new URL(
    await createS3Storage({ ...s3, S3_PATH_STYLE: true }).uploadUrl(upload, soon),
  );
  expect([inPath.host, inPath.pathname]).toEqual([
    's3.example.com',
    `/files/uploads/o/a/${upload.sha256}`,
  ]);
});

test('S3 that is away, or that refuses our key, is a failure to try again, and no missing upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-s3-'));
  const server = await startS3(folder);
  const refused = createS3Storage({ ...server.config, S3_ACCESS_KEY_ID: 'unknown' });
  await expect(refused.collect(upload)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const storage = createS3Storage(server.config);
  expect(await storage.collect(upload)).toBeUndefined();
  await server.stop();
  await rm(folder, { recursive: true });
  await expect(storage.collect(upload)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('the configuration names all that the chosen storage needs, and takes the blemishes of addresses', () => {
  expect(() => readSessionsConfig(service)).toThrow(
    /ATTACHMENTS_FOLDER is not set\.\n {2}PUBLIC_URL is not set\./,
  );
  expect(() => readSessionsConfig({ ...service, STORAGE: 's3' })).toThrow(ConfigurationError);
  expect(() => readSessionsConfig({ ...service, STORAGE: 's3' })).toThrow(
    /S3_ENDPOINT.*S3_BUCKET.*S3_ACCESS_KEY_ID.*S3_SECRET_ACCESS_KEY/s,
  );
  const onDisk = readSessionsConfig({
    ...service,
    ATTACHMENTS_FOLDER: 'files',
    PUBLIC_URL: 'http://localhost:4400/v2//',
  });
  expect(onDisk).toMatchObject({ STORAGE: 'disk', PUBLIC_URL: 'http://localhost:4400/v2' });
  const inBucket = readSessionsConfig({ ...service, ...s3, STORAGE: 's3', S3_PATH_STYLE: 'true' });
  expect(inBucket).toMatchObject({ STORAGE: 's3', S3_PATH_STYLE: true });
});

test('bytes that pass through this service are kept and read on S3, and those that are fewer or more than announced are not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-s3-'));
  const server = await startS3(folder);
  const storage = createS3Storage(server.config);
  const large = Buffer.alloc(3_000_000, 'x');
  async function* inPieces(bytes: Buffer) {
    for (let from = 0; from < bytes.length; from += 400_000)
      yield bytes.subarray(from, from + 400_000);
  }
  for (const bytes of [large, Buffer.alloc(0)]) {
    const address = { organizationId: 'o', sha256: sha256Of(bytes) };
    expect(await storage.read(address)).toBeUndefined();
    const received = await storage.receive(inPieces(bytes), 'o', bytes.length);
    expect(received).toMatchObject({ sizeBytes: bytes.length, sha256: address.sha256 });
    await received.keep();
    await received.discard();
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await storage.read(address))!) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  }
  for (const announced of [large.length + 1, large.length - 1])
    await expect(storage.receive(inPieces(large), 'o', announced)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  await server.stop();
  await rm(folder, { recursive: true });
});
