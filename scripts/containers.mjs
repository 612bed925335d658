// `npm run test:containers`: builds the images, runs docker-compose.yml under a name of its own,
// and removes what it made. Without a container engine and Compose it says so, and that is no
// failure.
import { spawnSync } from 'node:child_process';
import { install, root, step, tool } from './prepare.mjs';

const missing = [['version'], ['compose', 'version']].find(
  (args) => spawnSync('docker', args, { timeout: 20_000 }).status !== 0,
);
if (missing) {
  process.stdout.write(
    `The tests of containers are left out: "docker ${missing.join(' ')}" fails, so no container engine with Compose answers.\n`,
  );
} else {
  await install();
  const project = `assay-test-${process.pid}`;
  // When a signal ended the tests, they did not remove what they had started.
  process.once('exit', () => {
    const down = [
      'compose',
      '--project-name',
      project,
      'down',
      '--volumes',
      '--remove-orphans',
      '--timeout',
      '1',
    ];
    spawnSync('docker', down, { timeout: 60_000 });
  });
  const args = [
    tool('vitest', 'vitest.mjs'),
    'run',
    '--root',
    root,
    '--config',
    'vitest.containers.config.ts',
  ];
  const { passed } = await step(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, COMPOSE_PROJECT_NAME: project },
  });
  process.exitCode = passed ? 0 : 1;
}
