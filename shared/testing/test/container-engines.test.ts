import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { engineMayAnswer } from '../container-engines.ts';

function emptyMachine() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [home, run, system] = ['home', 'run', 'system'].map((name) => join(folder, name));
  const machine = { home: home!, run: run!, system: system! };
  return { folder, machine };
}

test('on a machine without any of the places of an engine, the library is not asked', () => {
  const { folder, machine } = emptyMachine();
  expect(engineMayAnswer({}, machine)).toBe(false);
  expect(engineMayAnswer({ XDG_RUNTIME_DIR: join(folder, 'xdg') }, machine)).toBe(false);
});

test('a variable that names an engine has the library asked', () => {
  expect(engineMayAnswer({ DOCKER_HOST: 'tcp://127.0.0.1:1' }, emptyMachine().machine)).toBe(true);
});

test.each([
  'system/docker.sock',
  'xdg/docker.sock',
  'home/.docker/run/docker.sock',
  'home/.docker/desktop/docker.sock',
  `run/${userInfo().uid}/docker.sock`,
  'home/.testcontainers.properties',
])('%s has the library asked', (path) => {
  const { folder, machine } = emptyMachine();
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), '');
  expect(engineMayAnswer({ XDG_RUNTIME_DIR: join(folder, 'xdg') }, machine)).toBe(true);
});
