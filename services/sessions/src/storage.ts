import { diskReserveBytesDefault, type SessionsConfig } from './config.ts';
import type { SignedUrls } from './signed-urls.ts';
import type { Storage } from './storage/content.ts';
import { createDiskStorage } from './storage/disk.ts';
import { createS3Storage } from './storage/s3.ts';

/** Opens the storage that `STORAGE` selects: a folder on this machine's disk, or an S3 bucket. */
export const createStorage = (config: SessionsConfig, urls: SignedUrls): Storage =>
  config.STORAGE === 's3'
    ? createS3Storage(config)
    : createDiskStorage({
        folder: config.ATTACHMENTS_FOLDER,
        reserveBytes: config.DISK_RESERVE_BYTES ?? diskReserveBytesDefault,
        urls,
      });
