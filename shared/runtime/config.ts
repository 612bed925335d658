import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { expectationOf } from './expectation.ts';
import { misspeltVariables } from './misspelt-variables.ts';

/**
 * A configuration that cannot be used, or a server that it names: the message has one sentence for
 * each problem, each on its own line.
 */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

function startsWith(protocols: string[]) {
  const beginning = new RegExp(`^(${protocols.join('|').replaceAll('+', '\\+')})://`);
  return {
    test: (url: string) => beginning.test(url),
    message: `must start with ${protocols.join(':// or ')}://`,
  };
}

const natsProtocols = startsWith(['nats', 'tls']);
const natsUrls = z
  .string()
  .transform((value) => value.split(',').map((url) => url.trim()))
  .refine((urls) => urls.every(natsProtocols.test), natsProtocols.message);

/** Base URLs of the processes of another service, separated by commas. */
export const serviceUrls = z
  .string()
  .refine((value) => value.split(',').every((url) => /^https?:\/\/[^/]+\/?$/.test(url.trim())), {
    message: 'must be base URLs (http://host:port), separated by commas',
  });

/** The base path of the API as clients reach it, for example https://assay.example.com/v2. */
export const publicUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .transform((value) => value.replace(/\/+$/, ''));

const mongodbProtocols = startsWith(['mongodb', 'mongodb+srv']);
const mongodbUri = z.string().refine(mongodbProtocols.test, mongodbProtocols.message);

/** How long the answer to a question may take where nothing else is said. */
export const questionTimeoutMs = 3000;

/** Bytes that each stream of NATS may take where nothing else is said. */
export const streamBytesMaxDefault = 1024 ** 3;

/**
 * How NATS is reached besides its address: credentials (or in the URL), TLS, how often its streams
 * are kept and how large they may be, and how long an answer may take.
 */
export const natsConfig = {
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_TOKEN: z.string().optional(),
  /** A file with a JWT and the seed of its nkey, as `nsc generate creds` writes it. */
  NATS_CREDENTIALS_FILE: z.string().optional(),
  NATS_TLS_CA_FILE: z.string().optional(),
  NATS_TLS_CERT_FILE: z.string().optional(),
  NATS_TLS_KEY_FILE: z.string().optional(),
  NATS_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Bytes of each stream: one that is full refuses new messages. */
  NATS_STREAM_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1024 ** 2)
    .default(streamBytesMaxDefault),
  /** How long a process waits for the answer to a question that states no time of its own. */
  QUESTION_TIMEOUT_MS: z.coerce.number().int().min(100).max(120_000).default(questionTimeoutMs),
};

/** The settings for NATS. A setting that is left out has its default. */
export type NatsConfig = Partial<z.output<z.ZodObject<typeof natsConfig>>>;

/**
 * The environment variables of every process of Assay. Units are in the names; `.env.example` lists
 * the variables for people.
 */
export const processConfig = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  NATS_URL: natsUrls,
  ...natsConfig,
  /** Where the file with the keys of this process is, `<process>.json`: with them it signs (ADR 81). */
  ASSAY_KEYS_FOLDER: z.string().min(1).optional(),
  /**
   * The one secret of the gateway and all services, before each had keys: beside the keys, it is
   * understood by those that have nothing else.
   */
  ASSAY_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  /** The commit of the sources, which an image is told when it is built. */
  ASSAY_REVISION: z.string().default('unknown'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** How long stopping may take; then the process ends, and cuts what is under way. */
  STOP_TIMEOUT_MS: z.coerce.number().int().min(100).max(3_600_000).default(9000),
  /** Sets one installation apart from others on the same NATS server. */
  SUBJECT_PREFIX: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a-z, 0-9 and -')
    .default('assay'),
};

/**
 * The environment variables of every service: those of every process, and those of its database.
 */
export const serviceConfig = {
  ...processConfig,
  MONGODB_URI: mongodbUri,
  /** A service's database is `<prefix>_<service>`. */
  DATABASE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1 to 32 of A-Z, a-z, 0-9 and -')
    .default('assay'),
};

/** The additional environment variable of identity and of the operator's commands. */
export const operatorConfig = {
  /** Signs the operator's questions. Another one than ASSAY_SECRET, which every service has. */
  ASSAY_OPERATOR_SECRET: z.string().min(32, 'must have at least 32 characters'),
};

export const databaseReserveBytesDefault = 1024 ** 3;

/** A setting of the services that store large amounts. */
export const databaseReserveConfig = {
  /** Nothing large is stored that would leave less of the disk of the database; 0 stores it all. */
  DATABASE_RESERVE_BYTES: z.coerce.number().int().min(0).default(databaseReserveBytesDefault),
};

export type DatabaseReserveConfig = z.output<z.ZodObject<typeof databaseReserveConfig>>;

export const requestsPerMinuteDefault = 1_200_000;

/** The rate limit that the gateways enforce together, and identity tells. */
export const rateLimitConfig = {
  /** Requests an organization may send in a minute, to all gateways together. */
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(requestsPerMinuteDefault),
};

export type RateLimitConfig = z.output<z.ZodObject<typeof rateLimitConfig>>;
export type OperatorConfig = z.output<z.ZodObject<typeof operatorConfig>>;
/** What is for the process alone, and not for the parts that run in it. */
type OwnOfProcess = 'STOP_TIMEOUT_MS';
type PartConfig<Shape extends z.ZodRawShape> = Omit<
  z.output<z.ZodObject<Shape>>,
  keyof NatsConfig | OwnOfProcess
> &
  NatsConfig;
export type ProcessConfig = PartConfig<typeof processConfig>;
export type ServiceConfig = PartConfig<typeof serviceConfig>;

type Environment = Record<string, string | undefined>;

/** The variables that this process has read, whether they are set or not. */
const namesRead = new Set<string>();

/**
 * Reads a configuration once, checks it whole and freezes it. Any variable X may be given as
 * X_FILE, the path of a file that holds the value, as secrets are mounted.
 * @throws ConfigurationError that names every missing or wrong variable and its expected value.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: Environment = process.env,
) {
  for (const name of Object.keys(shape)) namesRead.add(name);
  const given: Environment = {};
  const problems = new Map<string, string>();
  for (const name of Object.keys(shape)) {
    const { value, problem } = readVariable(name, environment);
    if (value) given[name] = value;
    if (problem) problems.set(name, problem);
  }
  const result = z.object(shape).safeParse(given);
  for (const issue of result.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const expectation =
      given[name] === undefined
        ? 'is not set'
        : expectationOf(shape[name] as z.ZodType, issue, given[name]);
    if (!problems.has(name)) problems.set(name, `${name} ${expectation}.`);
  }
  if (result.success && problems.size === 0) return Object.freeze(result.data);
  const [first, ...others] = problems.values();
  throw new ConfigurationError(
    others.length === 0
      ? first
      : ['The configuration cannot be used:', first, ...others].join('\n  '),
  );
}

/** A sentence for each variable that is set, and is a letter away from one that was read. */
export const misspeltSentences = (environment: Environment = process.env): string[] =>
  misspeltVariables([...namesRead], environment).map(
    ({ name, meant }) =>
      `${name} is set, and this process does not read it. Did you mean "${meant}"?`,
  );

function readVariable(
  name: string,
  environment: Environment,
): { value?: string | undefined; problem?: string } {
  const [value, file] = [environment[name], environment[`${name}_FILE`]];
  if (!file) return { value };
  if (value) return { problem: `${name}_FILE and ${name} are both set: leave one of them out.` };
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    return {
      problem: `${name}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    };
  }
}
