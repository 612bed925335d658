import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

/** Starts the containers in a process of its own, and prints the address of MongoDB. */
const script = `
  import { startContainers } from '@assay/testing/containers';
  import { chooseServers } from '@assay/testing/server-choice';
  const servers = await startContainers(chooseServers({}), console.error);
  console.log(servers.mongodbUri);
`;

test('an engine that never answers counts as none, and no process waits for it', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      ...['--conditions=assay-source', '--import', 'tsx'],
      ...['--input-type=module', '--eval', script],
    ],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, DOCKER_HOST: `tcp://127.0.0.1:${port}` },
    },
  );
  expect({ stdout, stderr }).toEqual({ stdout: 'undefined\n', stderr: '' });
});
