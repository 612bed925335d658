import { homedir } from 'node:os';
import { join } from 'node:path';
import { gatewaySettings } from '@assay/gateway/config';
import { runRecordsSettings } from '@assay/run-records/config';
import {
  databaseReserveConfig,
  type NatsConfig,
  natsConfig,
  processConfig,
  readConfig,
  serviceConfig,
} from '@assay/runtime/config';
import { scoringSettings } from '@assay/scoring/config';
import { readStorageSettings, type StorageSettings } from '@assay/sessions/config';
import { tracesSettings } from '@assay/traces/config';
import { z } from 'zod';

/** The settings that the parts of an installation have of their own: none is left out here. */
const partSettings = {
  gateway: gatewaySettings,
  runRecords: runRecordsSettings,
  testcases: databaseReserveConfig,
  scoring: scoringSettings,
  traces: tracesSettings,
};

const shape = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(4400),
  ASSAY_DATA_DIR: z.string().default('.assay'),
  MONGODB_URI: serviceConfig.MONGODB_URI.optional(),
  NATS_URL: processConfig.NATS_URL.optional(),
  MONGOD_PATH: z.string().optional(),
  NATS_SERVER_PATH: z.string().optional(),
  MCP: z.stringbool().default(true),
  ...natsConfig,
  ...partSettings.gateway,
  ...partSettings.runRecords,
  ...partSettings.testcases,
  ...partSettings.scoring,
  ...partSettings.traces,
  /** A laptop's log is read by a person. */
  ACCESS_LOG: z.stringbool().default(false),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  STOP_TIMEOUT_MS: processConfig.STOP_TIMEOUT_MS,
  /** Where downloaded programs are kept, for all of this person's installations. */
  XDG_CACHE_HOME: z.string().default(join(homedir(), '.cache')),
};

export type LocalConfig = z.output<z.ZodObject<typeof shape>> & { storage: StorageSettings };

type Settings<Part extends keyof typeof partSettings> = Partial<
  z.output<z.ZodObject<(typeof partSettings)[Part]>>
>;

/** What each part of an installation is told besides its address, its servers and its secrets. */
export interface PartSettings {
  gateway: Settings<'gateway'>;
  runRecords: Settings<'runRecords'>;
  testcases: Settings<'testcases'>;
  scoring: Settings<'scoring'>;
  traces: Settings<'traces'>;
  storage: StorageSettings | { STORAGE: 'disk' };
}

/**
 * The settings of a NATS server that NATS_URL names. Those of the one that the launcher starts have
 * no credentials, and one server keeps a stream once.
 */
export function natsOf(config: LocalConfig): NatsConfig {
  const { NATS_STREAM_BYTES_MAX, QUESTION_TIMEOUT_MS } = config;
  return config.NATS_URL === undefined
    ? { NATS_STREAM_BYTES_MAX, QUESTION_TIMEOUT_MS }
    : Object.fromEntries(
        Object.keys(natsConfig).map((name) => [name, config[name as keyof NatsConfig]]),
      );
}

/** Takes the configuration apart: to each part its own. */
export function settingsOf(config: LocalConfig): PartSettings {
  const own = (part: keyof typeof partSettings) =>
    Object.fromEntries(
      Object.keys(partSettings[part]).map((name) => [name, config[name as keyof LocalConfig]]),
    );
  return {
    gateway: own('gateway'),
    runRecords: own('runRecords'),
    testcases: own('testcases'),
    scoring: own('scoring'),
    traces: own('traces'),
    storage: config.storage,
  };
}

/**
 * Adds the variables of `.env` in the working folder to the environment. Variables that are already
 * set stay.
 */
export function readDotEnv(): void {
  try {
    process.loadEnvFile('.env');
  } catch {
    // There need not be one.
  }
}

/**
 * Reads the laptop's configuration: the environment, and `.env` in the working folder in addition.
 */
export function readLocalConfig(
  environment: Record<string, string | undefined> = process.env,
): LocalConfig {
  readDotEnv();
  return { ...readConfig(shape, environment), storage: readStorageSettings(environment) };
}
