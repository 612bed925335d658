import { proxyUrlOf } from '@assay/runtime/http/proxy-url';
import { z } from 'zod';

const baseUrl = z
  .string()
  .refine(
    (value) => isBaseUrl(value),
    'must be a base URL (http:// or https://) without credentials, query or fragment',
  )
  .transform((value) => value.replace(/\/+$/, ''));

function isBaseUrl(value: string): boolean {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, hash } = new URL(value);
  return username + password + search + hash === '';
}

const secret = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

const price = z.strictObject({
  inputUsdPerMillion: z.number().min(0),
  outputUsdPerMillion: z.number().min(0),
  cacheReadUsdPerMillion: z.number().min(0).optional(),
  cacheWriteUsdPerMillion: z.number().min(0).optional(),
});
const priceTable = z.record(z.string(), price);
export type Price = z.infer<typeof price>;

const prices = z
  .string()
  .refine(
    (text) => priceTable.safeParse(jsonOf(text)).success,
    'must be JSON like {"gpt-4o":{"inputUsdPerMillion":2.5,"outputUsdPerMillion":10}}, no price below 0',
  );

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const hosts = z
  .string()
  .regex(/^[^\s,/@]+( *, *[^\s,/@]+)*$/, 'must be hosts (name or name:port), separated by commas');

const proxyUrl = z
  .string()
  .refine(
    (value) => proxyUrlOf(value) !== undefined,
    'must be the URL of an HTTP proxy (http:// or https://)',
  )
  .transform((value) => proxyUrlOf(value)!);

const models = z
  .string()
  .regex(
    /^[A-Za-z0-9._:@/-]+(\/\*)?( *, *[A-Za-z0-9._:@/-]+(\/\*)?)*$/,
    'must be names of models, or <provider>/* for all of a provider, separated by commas',
  );

/**
 * The judges' settings: the providers, and how they are called. A provider without its required
 * settings is not configured.
 */
export const judgeConfig = {
  OPENAI_API_KEY: secret.optional(),
  /** With the version segment, as in https://api.openai.com/v1. */
  OPENAI_BASE_URL: baseUrl.default('https://api.openai.com/v1'),
  ANTHROPIC_API_KEY: secret.optional(),
  ANTHROPIC_BASE_URL: baseUrl.default('https://api.anthropic.com/v1'),
  GOOGLE_API_KEY: secret.optional(),
  GOOGLE_BASE_URL: baseUrl.default('https://generativelanguage.googleapis.com/v1beta'),
  BEDROCK_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, 'must be the name of a region')
    .optional(),
  BEDROCK_ACCESS_KEY_ID: secret.optional(),
  BEDROCK_SECRET_ACCESS_KEY: secret.optional(),
  /** For temporary credentials. */
  BEDROCK_SESSION_TOKEN: secret.optional(),
  /** https://bedrock-runtime.<region>.amazonaws.com when left out. */
  BEDROCK_BASE_URL: baseUrl.optional(),
  /**
   * A server that speaks OpenAI's chat completions, for `compatible/<model>`: with the version
   * segment, as in http://127.0.0.1:11434/v1.
   */
  COMPATIBLE_BASE_URL: baseUrl.optional(),
  /** A local server may need none. */
  COMPATIBLE_API_KEY: secret.optional(),
  /** The model that judges where a metric of the type `ai` names none. */
  DEFAULT_JUDGE_MODEL: z.string().max(256).default('gpt-4o'),
  /** Hosts that judges are asked at. When left out: those of the base URLs. */
  JUDGE_ALLOWED_HOSTS: hosts.optional(),
  /** Names among these that may lead to private addresses: of a local network, of containers. */
  JUDGE_PRIVATE_HOSTS: hosts.optional(),
  /** The proxies of calls to judges, as http://proxy.example:3128. */
  HTTP_PROXY: proxyUrl.optional(),
  HTTPS_PROXY: proxyUrl.optional(),
  /** Hosts that are reached without a proxy, with all below them; `*` for all. */
  NO_PROXY: z.string().optional(),
  /** Calls under way at once, for each provider and model. */
  JUDGE_CONCURRENCY: z.coerce.number().int().min(1).max(1024).default(16),
  /** How long one call may take. */
  JUDGE_TIMEOUT_MS: z.coerce.number().int().min(100).max(280_000).default(60_000),
  /** Which models may be asked. When left out: all of the providers that are configured. */
  JUDGE_MODELS: models.optional(),
  /**
   * The limit for the cost of each organization's judges in a day (UTC), in US dollars. When left
   * out: no limit.
   */
  JUDGE_BUDGET_USD_PER_DAY: z.coerce.number().min(0).optional(),
  /**
   * How many days the answers of judges are used again. 0 turns the cache off: then none is kept.
   */
  JUDGE_CACHE_DAYS: z.coerce.number().int().min(0).max(3650).default(30),
  /** The prices of models in place of the list that comes with Assay, by the same names. */
  MODEL_PRICES: prices.optional(),
  /** Prices beside or in place of the known ones, by the model's name as metrics give it. */
  JUDGE_PRICES: prices.optional(),
};

export type JudgeConfig = z.output<z.ZodObject<typeof judgeConfig>>;

/**
 * The settings of scoring in addition to those of the installation. The laptop passes them on from
 * its own environment.
 */
export const scoringSettings = {
  ...judgeConfig,
  /** Jobs of built-in evaluators and code that one process works on at once. */
  SCORING_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(4),
  /** The time that code may run for one record, in ms. */
  CODE_TIMEOUT_MS: z.coerce.number().int().min(10).max(60_000).default(1000),
  CODE_MEMORY_MIB: z.coerce.number().int().min(32).max(2048).default(128),
  /** Sandboxes of code that run at once, each in a process of its own. */
  CODE_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(2),
  /**
   * The program that walls users' code in; without it the one on the PATH, and where there is none,
   * code is off.
   */
  BUBBLEWRAP_PATH: z.string().optional(),
  /**
   * Runs JavaScript and TypeScript where bubblewrap does not work, behind the walls that are left.
   */
  CODE_WITHOUT_WALL: z.stringbool().default(false),
};

/** Settings that are left out have their defaults. */
export type ScoringSettings = Partial<z.output<z.ZodObject<typeof scoringSettings>>>;
