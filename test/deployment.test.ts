import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxCalls } from '@assay/code-sandbox/system-calls';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { gatewayConfig } from '@assay/gateway/config';
import { identityConfig } from '@assay/identity/service';
import { readLocalConfig } from '@assay/local/environment';
import { mcpConfig } from '@assay/mcp/server';
import { metricsConfig } from '@assay/metrics/service';
import { resultsConfig } from '@assay/results/service';
import { runRecordsConfig } from '@assay/run-records/config';
import { processConfig, readConfig, serviceConfig } from '@assay/runtime/config';
import { scoringConfig } from '@assay/scoring/service';
import { readSessionsConfig } from '@assay/sessions/config';
import { testcasesConfig } from '@assay/testcases/service';
import { pinnedImages } from '@assay/testing/server-choice';
import { tracesConfig } from '@assay/traces/config';
import { transfersConfig } from '@assay/transfers/service';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './imports.ts';

type Environment = Record<string, string>;

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/**
 * How each process reads its configuration; what it returns names every variable that it knows and
 * was given or has by default.
 */
const readers: Record<string, (environment: Environment) => object> = {
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
const processes = [...serviceNames, 'gateway', 'mcp'];
const secret = 'x'.repeat(32);

/** The variables of the shapes that stand in a source file, by the shape's name. */
function shapesOf(path: string): Record<string, string[]> {
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
const sessionsVariables = [...new Set([...quotaConfig!, ...diskConfig!, ...s3Config!])];

/** Every variable that a process reads. */
const variablesOf: Record<string, string[]> = {
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

describe('docker-compose.yml', () => {
  interface ComposeService {
    build?: { context: string; args: { SERVICE: string } };
    image?: string;
    environment?: Environment;
    ports?: string[];
    volumes?: string[];
    profiles?: string[];
    networks?: string[];
    restart?: string;
    privileged?: boolean;
    read_only?: boolean;
    cap_drop?: string[];
    security_opt?: string[];
    mem_limit?: string;
    pids_limit?: number;
    healthcheck?: {
      test?: string[];
      disable?: boolean;
      interval?: string;
      start_interval?: string;
      start_period?: string;
    };
    depends_on?: Record<string, { condition: string }>;
  }
  interface Composition {
    services: Record<string, ComposeService>;
    volumes: object;
    networks: Record<string, { internal?: boolean } | null>;
  }
  const text = read('docker-compose.yml');
  const { services, volumes, networks }: Composition = parse(text, { merge: true });
  const secrets = {
    ASSAY_SECRET: secret,
    ASSAY_OPERATOR_SECRET: secret,
    MONGODB_PASSWORD: 'm'.repeat(64),
    NATS_PASSWORD: 'n'.repeat(64),
  };

  /**
   * The text with its variables put in, as compose does it, from the inside to the outside; `:?`
   * only where the variable is needed.
   */
  function interpolate(value: string, variables: Environment): string {
    const next = value.replaceAll(/\$\{(\w+)(?::([-?])([^${}]*))?\}/g, (_, name, kind, rest) => {
      if (kind === '?' && !variables[name]) throw new Error(`${name} ${rest}`);
      return variables[name] || (kind === '-' ? rest : '');
    });
    return next === value ? value : interpolate(next, variables);
  }
  const environmentOf = (name: string, variables: Environment = secrets): Environment =>
    Object.fromEntries(
      Object.entries(services[name]!.environment ?? {}).map(([key, value]) => [
        key,
        interpolate(String(value ?? ''), variables),
      ]),
    );

  test('runs each service, the gateway, MongoDB and NATS, and nothing else by itself', () => {
    const running = Object.entries(services).filter(([, { profiles }]) => !profiles);
    expect(running.map(([name]) => name).toSorted()).toEqual(
      [...processes, 'mongodb', 'nats'].toSorted(),
    );
    for (const name of processes)
      expect(services[name]!.build, name).toEqual({ context: '.', args: { SERVICE: name } });
  });

  test.each(processes)(
    '%s starts with what it gets where only the secrets are set, and gets nothing that it does not know',
    (name) => {
      const given = environmentOf(name);
      expect(() => readers[name]!({ HOST: '0.0.0.0', PORT: '8080', ...given })).not.toThrow();
      expect(
        Object.keys(given).filter((variable) => !variablesOf[name]!.includes(variable)),
      ).toEqual([]);
    },
  );

  test.each(processes)('%s gets every variable that .env.example names for it', (name) => {
    // The first three are the image's; the others lead to a NATS of one's own, and this one is the
    // file's.
    const elsewhere =
      /^(HOST|PORT|ASSAY_REVISION|NATS_(USER|PASSWORD|TOKEN|CREDENTIALS_FILE|TLS_\w+|STREAM_REPLICAS))$/;
    const fixed = [
      'NATS_URL',
      'MONGODB_URI',
      'ATTACHMENTS_FOLDER',
      'MCP_URL',
      'GATEWAY_URL',
      ...serviceNames.map(urlVariable),
    ] as string[];
    const expected = variablesOf[name]!.filter(
      (variable) => !elsewhere.test(variable) && !fixed.includes(variable),
    );
    const told = {
      ...secrets,
      ...Object.fromEntries(expected.map((variable) => [variable, `told ${variable}`])),
    };
    const given = environmentOf(name, told);
    expect(expected.filter((variable) => given[variable] !== `told ${variable}`)).toEqual([]);
  });

  test('upload URLs lead where the gateway is published', () => {
    const choices: Environment[] = [{}, { PORT: '5000' }, { HOST: '192.0.2.7', PORT: '80' }];
    for (const own of choices) {
      const [published] = services.gateway!.ports!.map((port) => interpolate(port, own));
      expect(environmentOf('sessions', { ...secrets, ...own }).PUBLIC_URL).toBe(
        `http://${published!.replace(/:8080$/, '')}/v2`,
      );
    }
    const PUBLIC_URL = 'https://assay.example.com/v2';
    expect(environmentOf('sessions', { ...secrets, PUBLIC_URL }).PUBLIC_URL).toBe(PUBLIC_URL);
  });

  test('addresses name the processes of this file, on the port that the image listens on', () => {
    const port = /PORT=(\d+)/.exec(read('Dockerfile'))![1];
    for (const name of processes) {
      for (const [variable, url] of Object.entries(environmentOf(name)).filter(
        ([key]) => key.endsWith('_URL') && !/^(NATS|PUBLIC)_|_BASE_URL$/.test(key),
      ))
        expect(url).toBe(
          `http://${variable.replace(/_URL$/, '').toLowerCase().replaceAll('_', '-')}:${port}`,
        );
    }
  });

  test('publishes the gateway alone, which has no way to MongoDB, and lets out those alone that ask others', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['gateway']);
    const open = Object.keys(networks).filter((name) => !networks[name]?.internal);
    const outside = Object.keys(services).filter((name) =>
      services[name]!.networks!.some((network) => open.includes(network)),
    );
    expect(outside.toSorted()).toEqual(['gateway', 'scoring', 'sessions']);
    expect(services.gateway!.networks).not.toContain('data');
  });

  test('asks for each secret, with a sentence', () => {
    for (const name of Object.keys(secrets).filter((name) => text.includes(`{${name}`))) {
      const others = { ...secrets, [name]: '' };
      expect(
        () => Object.keys(services).map((service) => environmentOf(service, others)),
        name,
      ).toThrow(`${name} is needed`);
    }
  });

  test('takes every right from every container, and bounds its memory and its processes', () => {
    for (const [
      name,
      { privileged, read_only, cap_drop, security_opt, mem_limit, pids_limit },
    ] of Object.entries(services)) {
      expect({ privileged, read_only, cap_drop }, name).toEqual({
        privileged: undefined,
        read_only: true,
        cap_drop: ['ALL'],
      });
      expect(security_opt, name).toContain('no-new-privileges:true');
      expect([mem_limit, pids_limit], name).toEqual([
        expect.stringMatching(/^\dg$/),
        expect.any(Number),
      ]);
    }
    expect(read('Dockerfile')).toMatch(/^USER \d+$/m);
  });

  test('lets bubblewrap work where code runs, and there alone', () => {
    const own = Object.keys(services).filter((name) =>
      services[name]!.security_opt!.some((option) => option.startsWith('seccomp:')),
    );
    expect(own.toSorted()).toEqual(['metrics', 'scoring']);
    for (const name of own)
      expect(services[name]!.security_opt).toContain('seccomp:deploy/seccomp.json');
    const { defaultAction, syscalls } = JSON.parse(read('deploy/seccomp.json'));
    const allowed = syscalls.flatMap(({ action, names }: { action: string; names: string[] }) =>
      action === 'SCMP_ACT_ALLOW' ? names : [],
    );
    expect(defaultAction).toBe('SCMP_ACT_ERRNO');
    const walls = [
      'clone',
      'unshare',
      'mount',
      'umount2',
      'pivot_root',
      'sethostname',
      'prctl',
      'capset',
      'execve',
    ];
    expect([...sandboxCalls, ...walls].filter((name) => !allowed.includes(name))).toEqual([]);
    const attacks = [
      'bpf',
      'ptrace',
      'init_module',
      'keyctl',
      'userfaultfd',
      'io_uring_setup',
      'perf_event_open',
      'open_by_handle_at',
      'kexec_load',
    ];
    expect(attacks.filter((name) => allowed.includes(name))).toEqual([]);
  });

  test('checks a container often while it starts, and seldom afterwards, since each check takes the processor', () => {
    for (const [name, { healthcheck }] of Object.entries(services).filter(
      ([, { profiles }]) => !profiles,
    ))
      expect(healthcheck, name).toMatchObject({
        interval: '30s',
        start_interval: '5s',
        start_period: '120s',
      });
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK .*--interval=30s[^\n]*\n *CMD \["bash"/m);
  });

  test('runs MongoDB and NATS from the images that tests start', () => {
    expect({ mongodb: services.mongodb!.image, nats: services.nats!.image }).toEqual(pinnedImages);
  });

  test("gives the operator's secret to identity and the operator's commands alone", () => {
    const holders = Object.keys(services).filter(
      (name) => 'ASSAY_OPERATOR_SECRET' in environmentOf(name),
    );
    expect(holders.toSorted()).toEqual(['admin', 'identity']);
  });

  test('waits for what is well, restarts what ends, and keeps what must be kept', () => {
    for (const [name, { depends_on: waits = {}, restart, profiles }] of Object.entries(services)) {
      expect(
        Object.values(waits).filter(({ condition }) => condition !== 'service_healthy'),
      ).toEqual([]);
      expect(Object.keys(waits).filter((other) => !(other in services))).toEqual([]);
      expect(restart, name).toBe(profiles ? 'no' : 'unless-stopped');
    }
    for (const name of ['mongodb', 'nats'])
      expect(services[name]!.healthcheck?.test?.[0]).toBe('CMD');
    expect(read('Dockerfile')).toMatch(/HEALTHCHECK[\s\S]*\/livez/);
    const mounted = Object.values(services).flatMap(({ volumes: own = [] }) =>
      own.map((volume) => volume.split(':')[0]),
    );
    expect(mounted.toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(services.sessions!.volumes).toEqual([
      `attachments:${services.sessions!.environment!.ATTACHMENTS_FOLDER}`,
    ]);
  });
});

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
        [...read('docker-compose.yml').matchAll(/\$\{(\w+_PASSWORD):/g)].map(([, name]) => name!),
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
    results: Object.keys(resultsConfig).filter((name) => !(name in processConfig)),
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
    const secrets = { ASSAY_SECRET: secret, ASSAY_OPERATOR_SECRET: secret };
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
      ASSAY_SECRET: secret,
    };
    expect(readSessionsConfig({ ...stated('sessions'), ...config })).toEqual(
      readSessionsConfig(config),
    );
  });
});
