import { gatewayConfig } from '@assay/gateway/config';
import { identityConfig } from '@assay/identity/service';
import { readLocalConfig } from '@assay/local/environment';
import { mcpConfig } from '@assay/mcp/server';
import { metricsConfig } from '@assay/metrics/service';
import { resultsConfig } from '@assay/results/service';
import { runRecordsConfig } from '@assay/run-records/config';
import { processConfig, serviceConfig } from '@assay/runtime/config';
import { scoringConfig } from '@assay/scoring/service';
import { readSessionsConfig } from '@assay/sessions/config';
import { testcasesConfig } from '@assay/testcases/service';
import { tracesConfig } from '@assay/traces/config';
import { transfersConfig } from '@assay/transfers/service';
import { describe, expect, test } from 'vitest';
import {
  type Environment,
  read,
  readers,
  secret,
  sessionsVariables,
  shapesOf,
} from './process-variables.ts';

describe('.env.example', () => {
  const [, ...parts] = read('.env.example').split(/^# == /m);
  const sections = Object.fromEntries(
    parts.map((part) => [/^[^:=]+/.exec(part)![0].trim(), linesOf(part)]),
  );

  /** `# NAME=value` lines. */
  function linesOf(part: string): Environment {
    return Object.fromEntries(
      [...part.matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
    );
  }

  const expected: Record<string, string[]> = {
    'npm start, npm run demo': shapesOf('local/src/environment.ts').shape!,
    'npm run gate': [
      ...shapesOf('cli/src/gate/arguments.ts').gateConfig!,
      ...shapesOf('cli/src/gate/comment.ts').commentConfig!,
    ],
    'npm run assay': shapesOf('cli/src/connection.ts').cliConfig!,
    'docker compose': [
      ...new Set(
        [...read('docker-compose.yml').matchAll(/\$\{(\w+_PASSWORD|BACKUPS_FOLDER):/g)].map(
          ([, name]) => name!,
        ),
      ),
    ],
    'every process': Object.keys(processConfig),
    'every service': Object.keys(serviceConfig).filter((name) => !(name in processConfig)),
    identity: Object.keys(identityConfig).filter((name) => !(name in serviceConfig)),
    gateway: Object.keys(gatewayConfig).filter((name) => !(name in processConfig)),
    mcp: Object.keys(mcpConfig).filter((name) => !(name in processConfig)),
    metrics: Object.keys(metricsConfig).filter((name) => !(name in serviceConfig)),
    testcases: Object.keys(testcasesConfig).filter((name) => !(name in serviceConfig)),
    'run-records': Object.keys(runRecordsConfig).filter((name) => !(name in serviceConfig)),
    scoring: Object.keys(scoringConfig).filter((name) => !(name in serviceConfig)),
    results: Object.keys(resultsConfig).filter((name) => !(name in serviceConfig)),
    transfers: Object.keys(transfersConfig).filter((name) => !(name in processConfig)),
    sessions: sessionsVariables,
    traces: Object.keys(tracesConfig).filter((name) => !(name in serviceConfig)),
  };

  test('names every variable that is read, and no other', () => {
    const sorted = (variables: Record<string, string[]>) =>
      Object.fromEntries(
        Object.entries(variables).map(([section, names]) => [section, names.toSorted()]),
      );
    expect(
      sorted(
        Object.fromEntries(
          Object.entries(sections).map(([section, own]) => [section, Object.keys(own)]),
        ),
      ),
    ).toEqual(sorted(expected));
  });

  const stated = (...names: string[]): Environment =>
    Object.fromEntries(
      names.flatMap((name) => Object.entries(sections[name]!).filter(([, value]) => value !== '')),
    );

  test('states the defaults of npm start', () => {
    expect(readLocalConfig(stated('npm start, npm run demo'))).toEqual(readLocalConfig({}));
  });

  test.each(Object.keys(readers))('states the defaults of the process %s', (name) => {
    const url = 'http://127.0.0.1:1';
    const urls = Object.fromEntries(
      expected
        .gateway!.filter((variable) => variable.endsWith('_URL'))
        .map((variable) => [variable, url]),
    );
    const storage = { ATTACHMENTS_FOLDER: 'attachments', PUBLIC_URL: url, GATEWAY_URL: url };
    const secrets = { ASSAY_KEYS_FOLDER: 'keys', ASSAY_OPERATOR_SECRET: secret };
    const needed = {
      ...urls,
      ...storage,
      ...secrets,
      NATS_URL: 'nats://127.0.0.1',
      MONGODB_URI: 'mongodb://127.0.0.1',
    };
    const own = name in sections ? [name] : [];
    const service = name === 'gateway' ? [] : ['every service'];
    expect(readers[name]!({ ...stated('every process', ...service, ...own), ...needed })).toEqual(
      readers[name]!(needed),
    );
  });

  test('states the defaults of attachments on S3', () => {
    const needed = {
      STORAGE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_BUCKET: 'attachments',
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'b',
    };
    const config = {
      ...needed,
      NATS_URL: 'nats://127.0.0.1',
      MONGODB_URI: 'mongodb://127.0.0.1',
      ASSAY_KEYS_FOLDER: 'keys',
    };
    expect(readSessionsConfig({ ...stated('sessions'), ...config })).toEqual(
      readSessionsConfig(config),
    );
  });
});
