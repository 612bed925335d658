import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLocalConfig, settingsOf } from '../src/environment.ts';
import { unknownVariables } from '../src/unknown-variables.ts';
import { makeFolder } from './setting.ts';

test('each part of an installation is told its own settings', () => {
  const config = readLocalConfig({
    RECORDS_MAX: '10',
    ATTACHMENTS_BYTES_MAX: '20',
    DISK_RESERVE_BYTES: '30',
    PUBLIC_PATH: '/assay',
    CONNECTIONS_MAX: '40',
    TRACE_RETENTION_DAYS: '50',
    TRACE_BYTES_PER_DAY_MAX: '55',
    JUDGE_CONCURRENCY: '60',
  });
  const { gateway, runRecords, scoring, traces, storage } = settingsOf(config);
  expect(runRecords.RECORDS_MAX).toBe(10);
  expect(storage).toEqual({ STORAGE: 'disk', ATTACHMENTS_BYTES_MAX: 20, DISK_RESERVE_BYTES: 30 });
  expect(gateway).toMatchObject({ PUBLIC_PATH: '/assay', CONNECTIONS_MAX: 40 });
  expect(traces).toEqual({
    TRACE_RETENTION_DAYS: 50,
    TRACE_BYTES_PER_DAY_MAX: 55,
    DATABASE_RESERVE_BYTES: 1024 ** 3,
  });
  expect(scoring.JUDGE_CONCURRENCY).toBe(60);
});

test('attachments lie in a bucket where that is said, and each variable that is missing is named', () => {
  const bucket = {
    STORAGE: 's3',
    S3_ENDPOINT: 'https://s3.example.com',
    S3_BUCKET: 'attachments',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  };
  expect(settingsOf(readLocalConfig(bucket)).storage).toMatchObject({
    STORAGE: 's3',
    S3_BUCKET: 'attachments',
  });
  expect(() => readLocalConfig({ ...bucket, S3_BUCKET: undefined })).toThrow(
    'S3_BUCKET is not set.',
  );
});

test('a variable of .env that no part reads is told, with the nearest name', async () => {
  const folder = await makeFolder();
  await writeFile(
    join(folder, '.env'),
    'RECORD_MAXIMUM=10\nRECORDS_MAX=10\nOPENAI_API_KEY_FILE=key\nQQQ=1\n',
  );
  expect((await unknownVariables({ environment: {}, folder })).toSorted()).toEqual([
    'QQQ is set in .env, and no part of Assay reads it. .env.example lists those that there are.',
    'RECORD_MAXIMUM is set in .env, and no part of Assay reads it. Did you mean "RECORDS_MAX"?',
  ]);
});

test('a variable of the environment is told where it is a letter away from one that is read', async () => {
  const environment = {
    RECORD_MAX: '1',
    ATTACHMENTS_BYTE_MAX: '1',
    DISK_RESERVE_BYTEZ: '1',
    RECORDS_MAX: '1',
    PATH: '/bin',
    TERMS: 'x',
    HOSTNAME: 'x',
  };
  expect(await unknownVariables({ environment, folder: await makeFolder() })).toEqual([
    'RECORD_MAX is set, and no part of Assay reads it. Did you mean "RECORDS_MAX"?',
    'ATTACHMENTS_BYTE_MAX is set, and no part of Assay reads it. Did you mean "ATTACHMENTS_BYTES_MAX"?',
    'DISK_RESERVE_BYTEZ is set, and no part of Assay reads it. Did you mean "DISK_RESERVE_BYTES"?',
  ]);
});
