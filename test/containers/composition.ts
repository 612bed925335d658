import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { freePort } from '@assay/local/port';
import { poll } from '@assay/testing/poll';
import { root } from '../imports.ts';

/** All processes but the gateway. */
const processNames = [...serviceNames, 'mcp'];

const secrets = ['ASSAY_OPERATOR_SECRET', 'MONGODB_PASSWORD', 'NATS_PASSWORD'];

/**
 * docker-compose.yml under a name, port, secrets and images of its own, with two processes of each
 * service.
 */
export async function openComposition() {
  // Told by scripts/containers.mjs, which removes what is left.
  const name = process.env.COMPOSE_PROJECT_NAME ?? `assay-test-${randomBytes(4).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const port = await freePort();
  const backups = join(folder, 'backups');
  await mkdir(backups);
  // The user of the images writes there.
  await chmod(backups, 0o777);
  const variables = {
    PORT: port,
    BACKUPS_FOLDER: backups,
    ...Object.fromEntries(secrets.map((name) => [name, randomBytes(32).toString('hex')])),
  };
  await writeFile(
    join(folder, 'env'),
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  await writeFile(join(folder, 'replicas.yml'), JSON.stringify(replicas(name)));
  // Who tries this may add to the files, for a network to build on for example.
  const files = [
    join(root, 'docker-compose.yml'),
    join(folder, 'replicas.yml'),
    ...(process.env.COMPOSE_FILE?.split(delimiter) ?? []),
  ];
  const compose = (...args: string[]) =>
    docker(
      'compose',
      '--project-name',
      name,
      '--env-file',
      join(folder, 'env'),
      ...files.flatMap((file) => ['--file', file]),
      ...args,
    );

  return {
    name,
    folder,
    url: `http://127.0.0.1:${port}`,
    compose,
    container: (service: string, number = 1) => `${name}-${service}-${number}`,
    services: processNames,

    /** What the processes logged as warnings and errors, each line with its container. */
    complaints: async () => {
      const lines = (await compose('logs', '--no-color', '--timestamps')).split('\n');
      return lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line)).join('\n');
    },

    /** Builds the images, and starts them: it is back when all are well. */
    up: async () => {
      await compose('build');
      await compose('--profile', 'operator', 'build', 'admin', 'backup', 'restore');
      await compose('up', '--detach', '--wait');
    },

    /** Removes containers, volumes, networks and the images that were built. */
    down: async () => {
      await compose(
        '--profile',
        'operator',
        'down',
        '--volumes',
        '--rmi',
        'local',
        '--remove-orphans',
      );
      await rm(folder, { recursive: true });
    },
  };
}

/** Two processes of each service, named to those that call them one by one. */
function replicas(name: string) {
  const urlsOf = (service: string) =>
    [1, 2].map((number) => `http://${name}-${service}-${number}:8080`).join(',');
  const services = Object.fromEntries(
    processNames.map((service) => [service, { deploy: { replicas: 2 }, environment: {} }]),
  );
  for (const caller of ['scoring', 'results', 'traces'])
    services[caller]!.environment = { RUN_RECORDS_URL: urlsOf('run-records') };
  Object.assign(services.traces!.environment, { TESTCASES_URL: urlsOf('testcases') });
  services.transfers!.environment = Object.fromEntries(
    (
      [
        'identity',
        'catalog',
        'testcases',
        'systems',
        'metrics',
        'run-records',
        'scoring',
        'sessions',
        'traces',
      ] as const
    ).map((owner) => [urlVariable(owner), urlsOf(owner)]),
  );
  const gateway = {
    environment: {
      ...Object.fromEntries(serviceNames.map((service) => [urlVariable(service), urlsOf(service)])),
      MCP_URL: urlsOf('mcp'),
    },
  };
  return { services: { ...services, gateway } };
}

/** What it says on stdout; an error with all that it said when it fails. */
export function docker(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile('docker', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      error
        ? reject(
            new Error(`docker ${args.join(' ')}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`),
          )
        : resolve(stdout),
    ),
  );
}

export const untilHealthy = (container: string) =>
  poll(`${container} is healthy`, async () => (await stateOf(container)) === 'healthy');

const stateOf = async (container: string) =>
  (await docker('inspect', '--format', '{{.State.Health.Status}}', container)).trim();
