import { fileURLToPath } from 'node:url';
import { serviceNames, type UrlVariable, urlVariable } from '@assay/contracts/all';
import {
  type ProcessConfig,
  processConfig,
  publicUrl,
  rateLimitConfig,
  serviceUrls,
} from '@assay/runtime/config';
import { readRanges } from '@assay/runtime/http/address';
import { z } from 'zod';

/** The limits of one gateway process on its load and on slow clients. */
const boundsConfig = {
  /** Requests that wait for one process of a service: one more is refused. */
  WAITING_REQUESTS_MAX: z.coerce.number().int().min(1).default(512),
  /**
   * Expensive requests of one organization that a process of a service has at once while others
   * ask.
   */
  EXPENSIVE_REQUESTS_MAX: z.coerce.number().int().min(1).default(2),
  /** After how long such a request no longer keeps the next one waiting. */
  EXPENSIVE_TURN_MS: z.coerce.number().int().min(10).default(2000),
  /** Clients' connections: one more is closed. */
  CONNECTIONS_MAX: z.coerce.number().int().min(1).default(10_000),
  /** How long a client may take to send a body that is not a stream. */
  BODY_TIMEOUT_MS: z.coerce.number().int().min(10).default(300_000),
  /** How long none of such a body may come. */
  BODY_SILENCE_MS: z.coerce.number().int().min(10).default(10_000),
};

/** The console, which the gateway serves beside the API. */
const consoleConfig = {
  CONSOLE: z.stringbool().default(true),
  /** The folder of the console's build. */
  CONSOLE_FOLDER: z.string().default(fileURLToPath(new URL('../../console/dist', import.meta.url))),
};

/** The process of the Model Context Protocol, which agents reach at /mcp. */
const mcpConfig = {
  /** Base URLs of its processes, separated by commas; without them, /mcp is off. */
  MCP_URL: serviceUrls.optional(),
};

/** A path before those of the gateway, which it must not hide. */
export const publicPath = z
  .string()
  .regex(
    /^(?!\/(v2|api|docs|sdk|mcp|assets|livez|readyz|metrics|healthz)(\/|$))(\/(?!\.\.?(\/|$))[\w.~-]+)+$/,
    'must be a path such as /assay: letters, digits and . _ ~ - after each slash, no slash at its end, and none of the paths of the gateway itself',
  );

/** The processes of each service: base URLs, separated by commas. */
const urlConfig = Object.fromEntries(
  serviceNames.map((name) => [urlVariable(name), serviceUrls]),
) as Record<UrlVariable, typeof serviceUrls>;

/** The settings of a gateway besides its address and those of others. */
export const gatewaySettings = {
  ...rateLimitConfig,
  /** How long a service may be silent: longer than its own longest question. */
  UPSTREAM_TIMEOUT_MS: z.coerce.number().int().min(10).default(130_000),
  /** Where `/metrics` is served in place of the published port. */
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Where clients reach the API: by https, the cookie of a browser session is for https alone. */
  PUBLIC_URL: publicUrl.optional(),
  /** The path below which clients reach the gateway (default: that of PUBLIC_URL). */
  PUBLIC_PATH: publicPath.optional(),
  /** Proxies in front, whose word on the address of a client counts. */
  TRUSTED_PROXIES: z
    .string()
    .refine(
      (text) => readRanges(text) !== undefined,
      'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
    )
    .optional(),
  /** Writes a line for each request. */
  ACCESS_LOG: z.stringbool().default(true),
  ...consoleConfig,
  /** Names of hosts, besides that of PUBLIC_URL, addresses and localhost, by which agents come. */
  MCP_HOSTS: z
    .string()
    .regex(/^[\w.-]+(,[\w.-]+)*$/, 'must be names of hosts without ports, separated by commas')
    .optional(),
  ...boundsConfig,
};

/** The gateway's environment variables. */
export const gatewayConfig = {
  ...processConfig,
  ...urlConfig,
  ...gatewaySettings,
  ...mcpConfig,
};

/** Settings that are left out have their defaults. */
export type GatewayConfig = ProcessConfig &
  Record<UrlVariable, string> &
  Partial<z.output<z.ZodObject<typeof gatewaySettings & typeof mcpConfig>>>;
