import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { subjectPrefix } from './data-folder.ts';
import { firstLine } from './greeting.ts';
import { natsAuthorization, operatorAuthorization } from './keys/nats-users.ts';
import type { Roots } from './keys/roots.ts';
import { keepPort } from './port.ts';
import { keepSecret, writePrivate } from './secret.ts';
import { type SupervisedServer, supervise } from './supervise.ts';
import { until } from './until.ts';

const startTimeoutMs = 60_000;
const user = 'assay';

/**
 * Starts nats-server with JetStream on disk below `dataFolder`/nats, on 127.0.0.1 only, and keeps
 * it running on the same port. It accepts clients that know the password, which is in the URL, in
 * `dataFolder`/nats-password and in the configuration of the server. Throws one sentence when it
 * does not start; `onFatal` gets one when it keeps dying.
 */
export async function startNats(options: {
  binary: string;
  dataFolder: string;
  port?: number;
  /** Of whom the users of the processes are; without, the operator's is the only user. */
  roots?: Roots | undefined;
  log: (line: string) => void;
  onFatal: (sentence: string) => void;
}): Promise<SupervisedServer & { url: string }> {
  const { binary, dataFolder, roots, log, onFatal } = options;
  const folder = join(dataFolder, 'nats');
  await mkdir(folder, { recursive: true });
  const port = options.port ?? (await keepPort({ file: join(dataFolder, 'nats.port') }));
  const configFile = join(folder, 'nats-server.conf');
  const password = await keepSecret(dataFolder, 'nats-password');
  await writePrivate(
    configFile,
    configuration({
      port,
      authorization: roots
        ? natsAuthorization({ prefix: subjectPrefix, operator: { user, password }, roots })
        : operatorAuthorization({ user, password }),
      storeFolder: join(folder, 'jetstream'),
    }),
  );
  const server = await supervise({
    name: 'nats-server',
    command: binary,
    args: ['--config', configFile],
    pidFile: join(dataFolder, 'nats.pid'),
    logFile: join(dataFolder, 'logs', 'nats.log'),
    untilReady: ({ signal }) =>
      until({ condition: () => greets(port), timeoutMs: startTimeoutMs, signal }),
    log,
    onFatal,
  });
  return {
    url: `nats://${user}:${password}@127.0.0.1:${port}`,
    stop: server.stop,
    get pid() {
      return server.pid;
    },
  };
}

/**
 * Contains only settings that nats-server 2.9.10 knows. The limits are fixed, or a nearly full disk
 * would leave too little for a stream.
 */
const configuration = ({
  port,
  authorization,
  storeFolder,
}: {
  port: number;
  authorization: string;
  storeFolder: string;
}): string => `server_name: assay
listen: "127.0.0.1:${port}"
${authorization}jetstream {
  store_dir: ${JSON.stringify(storeFolder)}
  max_memory_store: 256MB
  max_file_store: 16GB
}
`;

/** The server listens for clients only after it has recovered its streams. */
async function greets(port: number): Promise<boolean> {
  const line = await firstLine(port);
  return line?.startsWith('INFO ') === true && line.includes('"jetstream":true');
}
