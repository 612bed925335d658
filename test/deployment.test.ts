import { sandboxCalls } from '@assay/code-sandbox/system-calls';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { pinnedImages } from '@assay/testing/server-choice';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Environment,
  processes,
  read,
  readers,
  secret,
  variablesOf,
} from './process-variables.ts';

describe('docker-compose.yml', () => {
  interface ComposeService {
    build?: { context: string; args: { SERVICE: string } };
    image?: string;
    environment?: Environment;
    ports?: string[];
    volumes?: (string | { source: string; volume?: { subpath: string } })[];
    profiles?: string[];
    networks?: string[];
    entrypoint?: string[];
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

  test('runs each service, the gateway, MongoDB, NATS and what makes their keys, and nothing else by itself', () => {
    const running = Object.entries(services).filter(([, { profiles }]) => !profiles);
    expect(running.map(([name]) => name).toSorted()).toEqual(
      [...processes, 'keys', 'mongodb', 'nats'].toSorted(),
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
      'ASSAY_KEYS_FOLDER',
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
      ([name, { profiles }]) => !profiles && name !== 'keys',
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

  test('backs up, and restores, the volume of attachments and the databases, by the operator alone', () => {
    for (const name of ['backup', 'restore']) {
      const { volumes: own, networks, profiles, entrypoint } = services[name]!;
      expect(own).toEqual([services.sessions!.volumes![0], expect.stringMatching(/:\/backups$/)]);
      expect({ networks, profiles, entrypoint }).toEqual({
        networks: ['data'],
        profiles: ['operator'],
        entrypoint: ['node', `dist/bundle/${name}.js`],
      });
      expect(environmentOf(name).ATTACHMENTS_FOLDER).toBe(
        services.sessions!.environment!.ATTACHMENTS_FOLDER,
      );
    }
  });

  test("gives the operator's secret to identity and the operator's commands alone", () => {
    const holders = Object.keys(services).filter(
      (name) => 'ASSAY_OPERATOR_SECRET' in environmentOf(name),
    );
    expect(holders.toSorted()).toEqual(['admin', 'identity']);
  });

  test('gives each process its own keys alone, and their root to none', () => {
    const keysOf = ({ volumes: own = [] }: ComposeService) =>
      own.filter((volume) => JSON.stringify(volume).includes('keys'));
    for (const name of processes.filter((each) => each !== 'mcp')) {
      const folder = {
        source: 'keys',
        target: '/keys',
        read_only: true,
        volume: { subpath: name },
      };
      expect(keysOf(services[name]!), name).toEqual([{ type: 'volume', ...folder }]);
      expect(environmentOf(name)).toMatchObject({ ASSAY_KEYS_FOLDER: '/keys' });
      expect(JSON.stringify(environmentOf(name)), name).not.toMatch(/[mn]{64}/);
    }
    const makers = Object.keys(services).filter((name) =>
      JSON.stringify(services[name]!.volumes ?? []).includes('root-keys'),
    );
    expect(makers).toEqual(['keys']);
  });

  test('waits for what is well, restarts what ends, and keeps what must be kept', () => {
    for (const [name, { depends_on: waits = {}, restart, profiles }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(waits))
        expect(condition, other).toBe(
          other === 'keys' ? 'service_completed_successfully' : 'service_healthy',
        );
      expect(Object.keys(waits).filter((other) => !(other in services))).toEqual([]);
      expect(restart, name).toBe(profiles || name === 'keys' ? 'no' : 'unless-stopped');
    }
    for (const name of ['mongodb', 'nats'])
      expect(services[name]!.healthcheck?.test?.[0]).toBe('CMD');
    expect(read('Dockerfile')).toMatch(/HEALTHCHECK[\s\S]*\/livez/);
    const mounted = Object.values(services).flatMap(({ volumes: own = [], profiles }) =>
      profiles
        ? []
        : own.map((volume) => (typeof volume === 'string' ? volume.split(':')[0]! : volume.source)),
    );
    expect([...new Set(mounted)].toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(services.sessions!.volumes![0]).toBe(
      `attachments:${services.sessions!.environment!.ATTACHMENTS_FOLDER}`,
    );
  });
});
