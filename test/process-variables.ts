import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@assay/contracts/all';
import { gatewayConfig } from '@assay/gateway/config';
import { identityConfig } from '@assay/identity/service';
import { mcpConfig } from '@assay/mcp/server';
import { metricsConfig } from '@assay/metrics/service';
import { resultsConfig } from '@assay/results/service';
import { runRecordsConfig } from '@assay/run-records/config';
import { readConfig, serviceConfig } from '@assay/runtime/config';
import { scoringConfig } from '@assay/scoring/service';
import { readSessionsConfig } from '@assay/sessions/config';
import { testcasesConfig } from '@assay/testcases/service';
import { tracesConfig } from '@assay/traces/config';
import { transfersConfig } from '@assay/transfers/service';
import { root } from './imports.ts';

export type Environment = Record<string, string>;

export const read = (path: string) => readFileSync(join(root, path), 'utf8');

/**
 * How each process reads its configuration; what it returns names every variable that it knows and
 * was given or has by default.
 */
export const readers: Record<string, (environment: Environment) => object> = {
  ...Object.fromEntries(
    serviceNames.map((name) => [name, (environment) => readConfig(serviceConfig, environment)]),
  ),
  identity: (environment) => readConfig(identityConfig, environment),
  metrics: (environment) => readConfig(metricsConfig, environment),
  testcases: (environment) => readConfig(testcasesConfig, environment),
  'run-records': (environment) => readConfig(runRecordsConfig, environment),
  scoring: (environment) => readConfig(scoringConfig, environment),
  results: (environment) => readConfig(resultsConfig, environment),
  transfers: (environment) => readConfig(transfersConfig, environment),
  traces: (environment) => readConfig(tracesConfig, environment),
  sessions: (environment) => readSessionsConfig(environment),
  gateway: (environment) => readConfig(gatewayConfig, environment),
  mcp: (environment) => readConfig(mcpConfig, environment),
};
export const processes = [...serviceNames, 'gateway', 'mcp'];
export const secret = 'x'.repeat(32);

/** The variables of the shapes that stand in a source file, by the shape's name. */
export function shapesOf(path: string): Record<string, string[]> {
  const blocks = read(path).matchAll(
    /^(?:export )?const (\w*[cC]onfig|shape) = \{\n([\s\S]*?)^\};/gm,
  );
  return Object.fromEntries(
    [...blocks].map(([, name, body]) => [
      name!,
      [...body!.matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, key]) => key!),
    ]),
  );
}

const { quotaConfig, diskConfig, s3Config } = shapesOf('services/sessions/src/config.ts') as Record<
  string,
  string[]
>;
export const sessionsVariables = [...new Set([...quotaConfig!, ...diskConfig!, ...s3Config!])];

/** Every variable that a process reads. */
export const variablesOf: Record<string, string[]> = {
  ...Object.fromEntries(serviceNames.map((name) => [name, Object.keys(serviceConfig)])),
  identity: Object.keys(identityConfig),
  metrics: Object.keys(metricsConfig),
  testcases: Object.keys(testcasesConfig),
  'run-records': Object.keys(runRecordsConfig),
  scoring: Object.keys(scoringConfig),
  results: Object.keys(resultsConfig),
  transfers: Object.keys(transfersConfig),
  traces: Object.keys(tracesConfig),
  sessions: [...Object.keys(serviceConfig), ...sessionsVariables],
  gateway: Object.keys(gatewayConfig),
  mcp: Object.keys(mcpConfig),
};
