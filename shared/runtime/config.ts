import { z } from 'zod';

/** A configuration that cannot be used: its message lists every problem, one a line. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

const url = (protocols: string[]) =>
  z
    .string()
    .refine((value) => protocols.some((protocol) => value.startsWith(`${protocol}://`)), `must start with ${protocols.join(':// or ')}://`);

/** What every process of Assay is told by its environment. Units are in the names; `.env.example` lists them for people. */
export const processConfig = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  NATS_URL: url(['nats', 'tls']).transform((value) => value.split(',')),
  /** Shared by the gateway and the services, by nobody else: signs identities and cursors. */
  ASSAY_SECRET: z.string().min(32, 'must have at least 32 characters'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Sets one installation apart from others on the same NATS server. */
  SUBJECT_PREFIX: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/)
    .default('assay'),
};

/** What every service is told besides. */
export const serviceConfig = {
  ...processConfig,
  MONGODB_URI: url(['mongodb', 'mongodb+srv']),
  /** A service's database is `<prefix>_<service>`. */
  DATABASE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,32}$/)
    .default('assay'),
};

/** What identity and the operator's commands are told besides. */
export const operatorConfig = {
  /** Signs the operator's questions. Another one than ASSAY_SECRET, which every service has. */
  ASSAY_OPERATOR_SECRET: z.string().min(32, 'must have at least 32 characters'),
};

export type OperatorConfig = z.output<z.ZodObject<typeof operatorConfig>>;
export type ProcessConfig = z.output<z.ZodObject<typeof processConfig>>;
export type ServiceConfig = z.output<z.ZodObject<typeof serviceConfig>>;

/**
 * Reads a configuration once, checks it whole and freezes it.
 * @throws ConfigurationError that names every variable which is missing or wrong, with what was expected.
 */
export function readConfig<Shape extends z.ZodRawShape>(shape: Shape, environment: Record<string, string | undefined> = process.env) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const result = z.object(shape).safeParse(given);
  if (result.success) return Object.freeze(result.data);
  const problems = result.error.issues.map(
    (issue) => `${issue.path.join('.')}: ${given[String(issue.path[0])] === undefined ? 'is not set' : issue.message}`,
  );
  throw new ConfigurationError(`The configuration cannot be used:\n  ${problems.join('\n  ')}`);
}
