import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { start as startCatalog } from '@assay/catalog/service';
import { serviceNames, type UrlVariable, urlVariable } from '@assay/contracts/all';
import { version } from '@assay/contracts/version';
import { start as startGateway } from '@assay/gateway/gateway';
import { freePort } from '@assay/local/port';
import { start as startMcp } from '@assay/mcp/server';
import { start as startResults } from '@assay/results/service';
import { createLog, type Log } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectAgent } from '../mcp/test/agent.ts';
import { root } from './imports.ts';

const read = (path: string, encoding: BufferEncoding = 'utf8') =>
  readFileSync(join(root, path), encoding);
const revision = '0123456789abcdef0123456789abcdef01234567';

/** Each kind of process, and how it starts; none of the others answers it. */
const starts: Record<
  string,
  (config: ReturnType<typeof testConfig>, log: Log, nowhere: string) => Promise<RunningProcess>
> = {
  catalog: startCatalog,
  results: (config, log, nowhere) => startResults({ ...config, RUN_RECORDS_URL: nowhere }, log),
  gateway: (config, log, nowhere) =>
    startGateway(
      {
        ...config,
        RATE_LIMIT_PER_MINUTE: 1000,
        UPSTREAM_TIMEOUT_MS: 1000,
        ...(Object.fromEntries(serviceNames.map((name) => [urlVariable(name), nowhere])) as Record<
          UrlVariable,
          string
        >),
      },
      log,
    ),
  mcp: (config, log, nowhere) => startMcp({ ...config, GATEWAY_URL: nowhere }, log),
};

interface RunningProcess {
  url: string;
  stop(): Promise<void>;
}

/** A process of revision `revision`, and the lines of its log. */
async function started(name: string): Promise<{ url: string; lines: string[] }> {
  const config = { ...testConfig(), ASSAY_REVISION: revision };
  const lines: string[] = [];
  const log = createLog({
    name,
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  const running = await starts[name]!(config, log, `http://127.0.0.1:${await freePort()}`);
  onTestFinished(async () => {
    await running.stop();
    await dropData(config);
  });
  return { url: running.url, lines };
}

describe.each(Object.keys(starts))('the process %s says its version', (name) => {
  test('in the first line of its log, at /livez and as a metric, with its revision', async () => {
    const { url, lines } = await started(name);
    expect(JSON.parse(lines[0]!)).toMatchObject({ name, msg: 'starting', version, revision });
    expect(await (await fetch(`${url}/livez`)).json()).toEqual({ status: 'alive', version });
    const info = (await (await fetch(`${url}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith('assay_build_info'));
    expect(info).toEqual([expect.stringMatching(/^assay_build_info\{.*\} 1$/)]);
    for (const label of [`service="${name}"`, `version="${version}"`, `revision="${revision}"`])
      expect(info[0]).toContain(label);
  });
});

test('the API document, agents and the command line are told the version', async () => {
  const gateway = await started('gateway');
  const document = await fetch(`${gateway.url}/v2/openapi.json`);
  expect(((await document.json()) as { info: object }).info).toMatchObject({ version });
  const { url } = await started('mcp');
  await using agent = await connectAgent({ url, key: 'ak_1' });
  expect(agent.client.getServerVersion()).toMatchObject({ name: 'assay', version });
  const command = [join(root, 'cli/dist/main.js'), '--version'];
  expect((await promisify(execFile)(process.execPath, command)).stdout).toBe(`${version}\n`);
});

test('the packages for TypeScript and Python have the version and the licence', () => {
  const archive = gunzipSync(readFileSync(join(root, 'sdk/dist/assay.tgz'))).toString('latin1');
  const manifest = JSON.parse(/\{\n {2}"name": "assay"[\s\S]*?\n\}\n/.exec(archive)![0]);
  expect(manifest).toMatchObject({ name: 'assay', version, license: 'Apache-2.0' });
  expect(archive).toContain(read('LICENSE', 'latin1'));
  // The files of a wheel are stored as they are.
  const wheel = read(`sdk/dist/assay-${version}-py3-none-any.whl`, 'latin1');
  expect(wheel).toContain(`__version__ = "${version}"`);
  expect(wheel).toMatch(
    new RegExp(
      `Metadata-Version: 2\\.4\nName: assay\nVersion: ${version}\n(.*\n)*?License-Expression: Apache-2\\.0\nLicense-File: LICENSE\n`,
    ),
  );
  expect(wheel).toContain(`assay-${version}.dist-info/licenses/LICENSE`);
  expect(wheel).toContain(read('LICENSE', 'latin1'));
});

interface Manifest {
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

test('every package of the repository, and the lockfile, has the version and the licence', () => {
  const lockfile: { version: string; packages: Record<string, Manifest> } = JSON.parse(
    read('package-lock.json'),
  );
  const folders = Object.keys(lockfile.packages).filter((path) => !path.includes('node_modules/'));
  expect(folders.length).toBeGreaterThan(30);
  expect(lockfile.version).toBe(version);
  const others = folders.flatMap((folder) =>
    [
      lockfile.packages[folder]!,
      JSON.parse(read(join(folder, 'package.json'))) as Manifest,
    ].flatMap(({ version: own, license, dependencies, devDependencies }) => {
      const pins = Object.entries({ ...dependencies, ...devDependencies })
        .filter(([name]) => name.startsWith('@assay/'))
        .map(([, pinned]) => pinned);
      return [own, ...pins].every((each) => each === version) && license === 'Apache-2.0'
        ? []
        : [folder];
    }),
  );
  expect(others).toEqual([]);
  expect(read('LICENSE')).toContain('Apache License\n                           Version 2.0');
});

test('the version is that of the last release: of its contracts, its changes and its images', () => {
  const released: { version: string } = JSON.parse(read('docs/released-contracts.json'));
  expect(released.version).toBe(version);
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  const newest = headings.find((heading) => !/not released yet/i.test(heading));
  expect(newest?.split(' ')[0]).toBe(version);
  expect(read('Dockerfile')).toContain(`\nARG VERSION=${version}\n`);
  expect(read('Dockerfile')).toContain('org.opencontainers.image.licenses="Apache-2.0"');
});
