import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

type Environment = Record<string, string | undefined>;

/**
 * Whether there is any of the places at which testcontainers looks for a container engine: a
 * variable or a file that names one, and the usual sockets.
 */
export function engineMayAnswer(
  { DOCKER_HOST, XDG_RUNTIME_DIR }: Environment,
  { home = homedir(), run = '/run/user', system = '/var/run' } = {},
): boolean {
  if (DOCKER_HOST !== undefined || process.platform === 'win32') return true;
  const folders = [
    system,
    ...(XDG_RUNTIME_DIR === undefined ? [] : [XDG_RUNTIME_DIR]),
    join(home, '.docker/run'),
    join(home, '.docker/desktop'),
    join(run, `${userInfo().uid}`),
  ];
  const files = folders.map((folder) => join(folder, 'docker.sock'));
  return [join(home, '.testcontainers.properties'), ...files].some((file) => existsSync(file));
}
