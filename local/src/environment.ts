import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type NatsConfig,
  natsConfig,
  processConfig,
  publicUrl,
  readConfig,
  serviceConfig,
} from '@assay/runtime/config';
import { type ScoringSettings, scoringSettings } from '@assay/scoring/config';
import { tracesConfig } from '@assay/traces/config';
import { z } from 'zod';

const shape = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(4400),
  ASSAY_DATA_DIR: z.string().default('.assay'),
  MONGODB_URI: serviceConfig.MONGODB_URI.optional(),
  NATS_URL: processConfig.NATS_URL.optional(),
  MONGOD_PATH: z.string().optional(),
  NATS_SERVER_PATH: z.string().optional(),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1_200_000),
  CONSOLE: z.stringbool().default(true),
  MCP: z.stringbool().default(true),
  PUBLIC_URL: publicUrl.optional(),
  TRACE_RETENTION_DAYS: tracesConfig.TRACE_RETENTION_DAYS,
  ...natsConfig,
  ...scoringSettings,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Where downloaded programs are kept, for all of this person's installations. */
  XDG_CACHE_HOME: z.string().default(join(homedir(), '.cache')),
};

export type LocalConfig = z.output<z.ZodObject<typeof shape>>;

/**
 * The settings of a NATS server that NATS_URL names; empty for the one that the launcher starts.
 */
export const natsOf = (config: LocalConfig): NatsConfig =>
  config.NATS_URL === undefined
    ? {}
    : Object.fromEntries(
        Object.keys(natsConfig).map((name) => [name, config[name as keyof NatsConfig]]),
      );

/** Returns the part of the configuration that is for scoring: judges and code. */
export const scoringOf = (config: LocalConfig): ScoringSettings =>
  Object.fromEntries(
    Object.keys(scoringSettings).map((name) => [name, config[name as keyof ScoringSettings]]),
  );

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
  return readConfig(shape, environment);
}
