import { readConfig, type ServiceConfig, serviceConfig } from '@assay/runtime/config';
import { z } from 'zod';

const address = z
  .string()
  .regex(/^https?:\/\//, 'must start with http:// or https://')
  .transform((value) => value.replace(/\/+$/, ''));

/** The quota of an organization. Unlimited if it is not set. */
const quotaConfig = {
  /** Bytes of all attachments of an organization, declared ones included. */
  ATTACHMENTS_BYTES_MAX: z.coerce.number().int().min(0).optional(),
};

/** Attachments share their disk with MongoDB on a laptop, and a full disk ends it. */
export const diskReserveBytesDefault = 1024 ** 3;

const diskConfig = {
  ...quotaConfig,
  STORAGE: z.literal('disk').default('disk'),
  /** Where the bytes are kept. Replicas of this service share it. */
  ATTACHMENTS_FOLDER: z.string().min(1),
  /**
   * The base path as clients reach it, for example https://assay.example.com/v2: signed URLs begin
   * with it.
   */
  PUBLIC_URL: address,
  /** Bytes of the disk that attachments leave free. */
  DISK_RESERVE_BYTES: z.coerce.number().int().min(0).default(diskReserveBytesDefault),
};

const s3Config = {
  ...quotaConfig,
  STORAGE: z.literal('s3'),
  S3_ENDPOINT: address,
  S3_BUCKET: z.string().regex(/^[a-z0-9.-]{3,63}$/, 'must be the name of a bucket'),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),
  /** `<endpoint>/<bucket>/<key>` in place of `<bucket>.<endpoint>/<key>`. */
  S3_PATH_STYLE: z.stringbool().default(false),
};

type Disk = z.output<z.ZodObject<typeof diskConfig>>;
/** The reserve has a default. */
export type DiskConfig = Omit<Disk, 'DISK_RESERVE_BYTES'> &
  Partial<Pick<Disk, 'DISK_RESERVE_BYTES'>>;
export type S3Config = z.output<z.ZodObject<typeof s3Config>>;
export type SessionsConfig = ServiceConfig & (DiskConfig | S3Config);

const storageConfig = { STORAGE: z.enum(['disk', 's3']).default('disk') };

/**
 * Reads the configuration. The required variables depend on the storage.
 * @throws ConfigurationError that names every variable which is missing or wrong.
 */
export function readSessionsConfig(environment?: Record<string, string | undefined>) {
  const { STORAGE } = readConfig(storageConfig, environment);
  return STORAGE === 's3'
    ? readConfig({ ...serviceConfig, ...s3Config }, environment)
    : readConfig({ ...serviceConfig, ...diskConfig }, environment);
}

const { ATTACHMENTS_FOLDER: _folder, PUBLIC_URL: _url, ...ownDiskConfig } = diskConfig;

/**
 * Reads the settings of storage for an installation in one process, which names the folder and the
 * address itself.
 * @throws ConfigurationError that names every variable which is missing or wrong.
 */
export function readStorageSettings(environment?: Record<string, string | undefined>) {
  const { STORAGE } = readConfig(storageConfig, environment);
  return STORAGE === 's3'
    ? readConfig(s3Config, environment)
    : readConfig(ownDiskConfig, environment);
}

export type StorageSettings = ReturnType<typeof readStorageSettings>;
