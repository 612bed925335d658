import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { gatewayConfig } from '@assay/gateway/gateway';
import { identityConfig } from '@assay/identity/service';
import { readLocalConfig } from '@assay/local/environment';
import { metricsConfig } from '@assay/metrics/service';
import { runRecordsConfig } from '@assay/run-records/service';
import { processConfig, readConfig, serviceConfig } from '@assay/runtime/config';
import { scoringConfig } from '@assay/scoring/service';
import { readSessionsConfig } from '@assay/sessions/config';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './imports.ts';

type Environment = Record<string, string>;

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** How each process reads its configuration; what it returns names every variable that it knows and was given or has by default. */
const readers: Record<string, (environment: Environment) => object> = {
  identity: (environment) => readConfig(identityConfig, environment),
  catalog: (environment) => readConfig(serviceConfig, environment),
  testcases: (environment) => readConfig(serviceConfig, environment),
  systems: (environment) => readConfig(serviceConfig, environment),
  metrics: (environment) => readConfig(metricsConfig, environment),
  'run-records': (environment) => readConfig(runRecordsConfig, environment),
  scoring: (environment) => readConfig(scoringConfig, environment),
  sessions: (environment) => readSessionsConfig(environment),
  gateway: (environment) => readConfig(gatewayConfig, environment),
};
const processes = [...contracts.map(({ name }) => name), 'gateway'];
const secret = 'x'.repeat(32);

describe('docker-compose.yml', () => {
  interface ComposeService {
    build?: { context: string; args: { SERVICE: string } };
    image?: string;
    environment?: Environment;
    ports?: string[];
    volumes?: string[];
    profiles?: string[];
    restart?: string;
    privileged?: boolean;
    healthcheck?: { test?: string[] };
    depends_on?: Record<string, { condition: string }>;
  }
  const text = read('docker-compose.yml');
  const { services, volumes }: { services: Record<string, ComposeService>; volumes: object } = parse(text, { merge: true });

  /** The text with its variables put in, as compose does it where only the secrets are set. */
  const environmentOf = (name: string): Environment =>
    Object.fromEntries(Object.entries(services[name]!.environment ?? {}).map(([key, value]) => [key, interpolate(String(value))]));
  const interpolate = (value: string) =>
    value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) =>
      /^ASSAY_\w*SECRET$/.test(name) ? secret : kind === '-' ? rest : '',
    );

  test('runs each service, the gateway, MongoDB and NATS, and nothing else by itself', () => {
    const running = Object.entries(services).filter(([, { profiles }]) => !profiles);
    expect(running.map(([name]) => name).toSorted()).toEqual([...processes, 'mongodb', 'nats'].toSorted());
    for (const name of processes) expect(services[name]!.build, name).toEqual({ context: '.', args: { SERVICE: name } });
  });

  test.each(processes)('%s gets every variable that it needs, and none that it does not know', (name) => {
    const given = environmentOf(name);
    // A variable that is passed on empty is as if it were not there.
    const known = [...Object.keys(readers[name]!({ ...given })), ...(name === 'scoring' ? Object.keys(scoringConfig) : [])];
    expect(Object.keys(given).filter((variable) => !known.includes(variable))).toEqual([]);
  });

  test('addresses name the processes of this file, on the port that the image listens on', () => {
    const port = /PORT=(\d+)/.exec(read('Dockerfile'))![1];
    for (const name of processes) {
      for (const [variable, url] of Object.entries(environmentOf(name)).filter(
        ([key]) => key.endsWith('_URL') && !/^(NATS|PUBLIC)_|_BASE_URL$/.test(key),
      ))
        expect(url).toBe(`http://${variable.replace(/_URL$/, '').toLowerCase().replaceAll('_', '-')}:${port}`);
    }
  });

  test('publishes the gateway alone, and asks for the secrets', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['gateway']);
    expect(text).toMatch(/\$\{ASSAY_SECRET:\?/);
    expect(text).toMatch(/\$\{ASSAY_OPERATOR_SECRET:\?/);
    expect(Object.values(services).filter(({ privileged }) => privileged)).toEqual([]);
  });

  test("gives the operator's secret to identity and the operator's commands alone", () => {
    const holders = Object.keys(services).filter((name) => 'ASSAY_OPERATOR_SECRET' in environmentOf(name));
    expect(holders.toSorted()).toEqual(['admin', 'identity']);
  });

  test('waits for what is well, restarts what ends, and keeps what must be kept', () => {
    for (const [name, { depends_on: waits = {}, restart, profiles }] of Object.entries(services)) {
      expect(Object.values(waits).filter(({ condition }) => condition !== 'service_healthy')).toEqual([]);
      expect(Object.keys(waits).filter((other) => !(other in services))).toEqual([]);
      expect(restart, name).toBe(profiles ? undefined : 'unless-stopped');
    }
    for (const name of ['mongodb', 'nats']) expect(services[name]!.healthcheck?.test?.[0]).toBe('CMD');
    expect(read('Dockerfile')).toMatch(/HEALTHCHECK[\s\S]*\/livez/);
    const mounted = Object.values(services).flatMap(({ volumes: own = [] }) => own.map((volume) => volume.split(':')[0]));
    expect(mounted.toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(services.sessions!.volumes).toEqual([`attachments:${services.sessions!.environment!.ATTACHMENTS_FOLDER}`]);
  });
});

describe('.env.example', () => {
  const [, ...parts] = read('.env.example').split(/^# == /m);
  const sections = Object.fromEntries(parts.map((part) => [/^[^:=]+/.exec(part)![0].trim(), variablesOf(part)]));

  /** `# NAME=value` lines. */
  function variablesOf(part: string): Environment {
    return Object.fromEntries([...part.matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  }

  /** The variables of the shapes that stand in a source file, by the shape's name. */
  function shapesOf(path: string): Record<string, string[]> {
    const blocks = read(path).matchAll(/^(?:export )?const (\w*[cC]onfig|shape) = \{\n([\s\S]*?)^\};/gm);
    return Object.fromEntries(
      [...blocks].map(([, name, body]) => [name!, [...body!.matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, key]) => key!)]),
    );
  }

  const { quotaConfig, diskConfig, s3Config } = shapesOf('services/sessions/src/config.ts') as Record<string, string[]>;
  const expected: Record<string, string[]> = {
    'npm start, npm run demo': shapesOf('local/src/environment.ts').shape!,
    'npm run gate': shapesOf('gate/src/arguments.ts').gateConfig!,
    'every process': Object.keys(processConfig),
    'every service': Object.keys(serviceConfig).filter((name) => !(name in processConfig)),
    identity: Object.keys(identityConfig).filter((name) => !(name in serviceConfig)),
    gateway: Object.keys(gatewayConfig).filter((name) => !(name in processConfig)),
    metrics: Object.keys(metricsConfig).filter((name) => !(name in serviceConfig)),
    'run-records': Object.keys(runRecordsConfig).filter((name) => !(name in serviceConfig)),
    scoring: Object.keys(scoringConfig).filter((name) => !(name in serviceConfig)),
    sessions: [...new Set([...quotaConfig!, ...diskConfig!, ...s3Config!])],
  };

  test('names every variable that is read, and no other', () => {
    const sorted = (variables: Record<string, string[]>) =>
      Object.fromEntries(Object.entries(variables).map(([section, names]) => [section, names.toSorted()]));
    expect(sorted(Object.fromEntries(Object.entries(sections).map(([section, own]) => [section, Object.keys(own)])))).toEqual(
      sorted(expected),
    );
  });

  const stated = (...names: string[]): Environment =>
    Object.fromEntries(names.flatMap((name) => Object.entries(sections[name]!).filter(([, value]) => value !== '')));

  test('states the defaults of npm start', () => {
    expect(readLocalConfig(stated('npm start, npm run demo'))).toEqual(readLocalConfig({}));
  });

  test.each(Object.keys(readers))('states the defaults of the process %s', (name) => {
    const url = 'http://127.0.0.1:1';
    const urls = Object.fromEntries(expected.gateway!.filter((variable) => variable.endsWith('_URL')).map((variable) => [variable, url]));
    const storage = { ATTACHMENTS_FOLDER: 'attachments', PUBLIC_URL: url };
    const secrets = { ASSAY_SECRET: secret, ASSAY_OPERATOR_SECRET: secret };
    const needed = { ...urls, ...storage, ...secrets, NATS_URL: 'nats://127.0.0.1', MONGODB_URI: 'mongodb://127.0.0.1' };
    const own = name in sections ? [name] : [];
    const service = name === 'gateway' ? [] : ['every service'];
    expect(readers[name]!({ ...stated('every process', ...service, ...own), ...needed })).toEqual(readers[name]!(needed));
  });

  test('states the defaults of attachments on S3', () => {
    const needed = {
      STORAGE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_BUCKET: 'attachments',
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'b',
    };
    const config = { ...needed, NATS_URL: 'nats://127.0.0.1', MONGODB_URI: 'mongodb://127.0.0.1', ASSAY_SECRET: secret };
    expect(readSessionsConfig({ ...stated('sessions'), ...config })).toEqual(readSessionsConfig(config));
  });
});
