import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conversation, paste, withoutIds } from '../conversation.ts';
import { evaluate } from '../system/evaluation.ts';
import { type Call, callAt } from '../system/installation.ts';
import { docker, openComposition, untilHealthy } from './composition.ts';

const composition = await openComposition();
const { compose, container, services, url } = composition;
let key: string;
let call: Call;

beforeAll(async () => {
  await composition.up();
  const said = await compose(
    '--profile',
    'operator',
    'run',
    '--rm',
    'admin',
    'create-organization',
    'Example Ltd',
  );
  key = said.trim().split('\n').at(-1)!;
  call = callAt(url, key);
}, 1_200_000);
afterAll(() => composition.down(), 300_000);

const inside = (service: string, script: string) =>
  compose('exec', '--no-TTY', service, 'node', '--eval', script);
/**
 * Sends a signal to the process of a container: docker-init is the first of what runs there, and
 * the process its child.
 */
const signalled = (signal: string) => [
  'node',
  '--eval',
  `for (const pid of fs.readdirSync('/proc').filter(Number))
    if (/^PPid:\\t1$/m.test(fs.readFileSync('/proc/' + pid + '/status', 'utf8'))) process.kill(pid, '${signal}');`,
];
async function ok(...request: Parameters<Call>) {
  const { status, text, body } = await call(...request);
  expect(status, text).toBeLessThan(300);
  return body;
}

// Again where a schema took longer than it may: a process that has just started compiles its first
// one slowly on a busy machine.
test('the first conversation prints what its page says', {
  timeout: 120_000,
  retry: 2,
}, async () => {
  await writeFile(join(composition.folder, 'admin-key'), `${key}\n`);
  const steps = conversation();
  const printed = await paste(
    steps,
    { ASSAY: url, ASSAY_DATA_DIR: composition.folder },
    composition.folder,
  );
  expect(printed.map(withoutIds)).toEqual(steps.map((step) => step.printed));
});

test('the image of the gateway serves the console: its page, and its script for a year', async () => {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  const [, path] = /<script [^>]*src="([^"]+)"/.exec(await page.text())!;
  const script = await fetch(new URL(path!, url));
  expect([script.status, script.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
});

test('the image of the gateway serves the documentation: guides with their pictures, and operations', async () => {
  const files = [
    '',
    'guides/is-it-better',
    'guides/adr/README',
    'pictures/coins.svg',
    'api/metrics',
  ];
  for (const file of files) {
    const page = await fetch(`${url}/docs/${file}`);
    expect([file, page.status]).toEqual([file, 200]);
    const styles = [
      ...(await page.text()).matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g),
    ];
    for (const [, path] of styles)
      expect([path, (await fetch(new URL(path!, page.url))).status]).toEqual([path, 200]);
  }
});

test('an evaluation from end to end comes to its summary', { timeout: 120_000 }, async () => {
  expect((await evaluate(call)).summary.metrics[0]).toMatchObject({ passRate: 0.75 });
});

test('an agent is answered behind the gateway, by a container that has a way to the gateway alone', async () => {
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const reply = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
  });
  expect([reply.status, await reply.text()]).toEqual([
    200,
    expect.stringContaining('"name":"assay"'),
  ]);
  const [{ NetworkSettings }] = JSON.parse(await docker('inspect', container('mcp')));
  expect(Object.keys(NetworkSettings.Networks)).toEqual([`${composition.name}_agents`]);
});

test('a project leaves with its attachments, and comes in again', { timeout: 60_000 }, async () => {
  const project = await ok('POST', '/projects', { name: 'Moved', description: '' });
  const run = await ok('POST', `/projects/${project.id}/runs`, { metricIds: [] });
  const record = { inputs: {}, expected: {}, outputs: {}, sessionId: 'moved' };
  await ok('POST', `/runs/${run.id}/records`, record);
  const bytes = randomBytes(1_000_000);
  const declared = await ok('POST', '/attachments', {
    sessionId: 'moved',
    filePath: 'trace.bin',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    sizeBytes: bytes.length,
    contentType: 'application/octet-stream',
  });
  await fetch(declared.uploadUrl, { method: 'PUT', body: bytes });
  await ok('POST', `/attachments/${declared.id}/commit`);
  const headers = { authorization: `Bearer ${key}` };
  const file = await fetch(`${url}/v2/projects/${project.id}/export?attachments=include`, {
    headers,
  });
  const text = await file.text();
  await ok('DELETE', `/attachments/${declared.id}`);
  const imported = await fetch(`${url}/v2/projects/import?answers=summary`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: text,
  });
  const answer = JSON.parse((await imported.text()).trim());
  expect(answer).toMatchObject({ done: true, attachments: { attached: 1, missing: 0 } });
});

test.each([
  ['javascript', 'function evaluate({ outputs }) { return outputs.answer === "yes"; }'],
  [
    'typescript',
    'const evaluate = ({ outputs }: { outputs: { answer: string } }): boolean => outputs.answer === "yes";',
  ],
  ['python', 'def evaluate(record):\n    return record["outputs"]["answer"] == "yes"'],
])('code in %s scores, behind bubblewrap', { timeout: 120_000 }, async (language, source) => {
  const project = await ok('POST', '/projects', { name: language, description: '' });
  const metrics = `/projects/${project.id}/metrics`;
  const metric = {
    name: 'm',
    evalType: 'heuristic',
    outputType: 'boolean',
    code: { language, source },
  };
  const { id } = await ok('POST', metrics, metric);
  expect((await call('POST', metrics, { ...metric, code: { language, source: '(' } })).status).toBe(
    400,
  );
  const run = await ok('POST', `/projects/${project.id}/runs`, { metricIds: [id] });
  await ok('POST', `/runs/${run.id}/records`, {
    inputs: {},
    expected: {},
    outputs: { answer: 'yes' },
  });
  await poll(
    'it is scored',
    async () => (await ok('GET', `/runs/${run.id}`)).scoring.pending === 0,
  );
  expect((await ok('GET', `/runs/${run.id}/summary`)).metrics).toMatchObject([{ passRate: 1 }]);
  expect(await compose('logs', 'scoring', 'metrics')).not.toContain("without bubblewrap's wall");
});

describe('containers', () => {
  test.each(['gateway', ...services])(
    '%s has no rights, no writable root and bounds of memory and processes',
    async (service) => {
      const [{ HostConfig: host, Config: config }] = JSON.parse(
        await docker('inspect', container(service)),
      );
      expect(host).toMatchObject({ CapDrop: ['ALL'], ReadonlyRootfs: true, Privileged: false });
      expect(host.SecurityOpt).toContain('no-new-privileges:true');
      expect([host.Memory > 0, host.PidsLimit > 0]).toEqual([true, true]);
      expect(config.User).toBe('1000');
    },
  );

  test.each(['gateway', ...services])(
    'the health check of %s passes while the process answers, and only then',
    async (service) => {
      const [{ Config: config }] = JSON.parse(await docker('inspect', container(service)));
      const [, ...check] = config.Healthcheck.Test as string[];
      const passes = (...options: string[]) =>
        docker('exec', ...options, container(service), 'timeout', '2', ...check).then(
          () => true,
          () => false,
        );
      await poll('it passes', () => passes());
      expect(await passes('--env', 'PORT=9')).toBe(false);
      await docker('exec', container(service), ...signalled('SIGSTOP'));
      expect(await passes()).toBe(false);
      await docker('exec', container(service), ...signalled('SIGCONT'));
      await poll('it passes again', () => passes());
    },
  );

  test('the gateway alone is published, and has no way to MongoDB', async () => {
    const published = (await compose('ps', '--format', '{{.Service}} {{.Ports}}'))
      .split('\n')
      .filter((line) => line.includes('->'));
    expect(published).toEqual([expect.stringMatching(/^gateway 127\.0\.0\.1:\d+->8080\/tcp$/)]);
    expect(
      await inside(
        'gateway',
        "require('dns').lookup('mongodb', (error) => console.log(error?.code))",
      ),
    ).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  test.each([
    'mongodb',
    'nats',
    ...services.filter((name) => name !== 'scoring' && name !== 'sessions'),
  ])('%s is on networks alone that lead nowhere else', async (service) => {
    const [{ NetworkSettings }] = JSON.parse(await docker('inspect', container(service)));
    const networks = Object.keys(NetworkSettings.Networks);
    const internal = await docker('network', 'inspect', '--format', '{{.Internal}}', ...networks);
    expect([networks.length > 0, new Set(internal.trim().split('\n'))]).toEqual([
      true,
      new Set(['true']),
    ]);
  });

  test('MongoDB and NATS let nobody in without the password', async () => {
    const find =
      'try { db.getSiblingDB("assay_catalog").projects.findOne(); print("read") } catch ({ codeName }) { print(codeName) }';
    expect(
      await compose('exec', '--no-TTY', 'mongodb', 'mongosh', '--quiet', '--norc', '--eval', find),
    ).toContain('Unauthorized');
    // In the words of its protocol: the images hold bundles, of which no client can be imported.
    const connect = `
      const socket = require('node:net').connect(4222, 'nats', () => socket.write('CONNECT {}\\r\\nPING\\r\\n'));
      socket.pipe(process.stdout);`;
    const said = await inside('catalog', connect);
    expect(said).toContain('Authorization Violation');
    expect(said).not.toContain('PONG');
  });

  test.each(['gateway', ...services])(
    'the image of %s has no tools of development',
    async (service) => {
      const list = 'ls /assay; if [ -d /assay/node_modules ]; then ls /assay/node_modules; fi';
      const found = await compose('exec', '--no-TTY', service, 'sh', '-c', list);
      const names = found.split('\n');
      expect(names).toContain('process.js');
      expect(
        names.filter((name) => /^(vitest|vite|rolldown|esbuild|typescript|tsx|@assay)$/.test(name)),
      ).toEqual([]);
    },
  );
});

test('each service is restarted, one process after the other, and no request fails', {
  timeout: 900_000,
}, async () => {
  const project = await ok('POST', '/projects', { name: 'Restarted', description: '' });
  const run = await ok('POST', `/projects/${project.id}/runs`, { metricIds: [] });
  const requests: [string, string, object?][] = [
    ['GET', `/projects/${project.id}`],
    ['GET', `/projects/${project.id}/metrics`],
    ['GET', `/projects/${project.id}/testsets`],
    ['GET', `/projects/${project.id}/systems`],
    ['POST', `/runs/${run.id}/records`, { inputs: {}, expected: {}, outputs: {} }],
  ];
  const failed: string[] = [];
  let sent = 0;
  let isOver = false;
  const load = Array.from({ length: 4 }, async () => {
    for (let turn = 0; !isOver; turn++) {
      const [method, path, body] = requests[turn % requests.length]!;
      const headers: Record<string, string> =
        method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
      const { status, text } = await call(method, path, body, { headers }).catch(
        (error: Error) => ({ status: 0, text: error.message }),
      );
      sent += 1;
      if (status < 200 || status > 299)
        failed.push(`${new Date().toISOString()} ${method} ${path}: ${status} ${text}`);
    }
  });
  for (const service of services)
    for (const number of [1, 2]) {
      const before = sent;
      await docker('restart', container(service, number));
      await untilHealthy(container(service, number));
      await poll('requests are answered', () => sent >= before + requests.length);
    }
  isOver = true;
  await Promise.all(load);
  expect(failed, failed.length > 0 ? await composition.complaints() : '').toEqual([]);
});

test.each(['mongodb', 'nats', 'identity', 'run-records', 'scoring', 'gateway'])(
  'after %s was killed and started again, what was acknowledged is there and an evaluation is done',
  { timeout: 300_000 },
  async (service) => {
    const { id } = await ok('POST', '/projects', { name: service, description: '' });
    await docker('kill', container(service));
    await docker('start', container(service));
    await untilHealthy(container(service));
    await poll(
      'requests are answered',
      async () =>
        (await call('GET', `/projects/${id}`).catch(() => ({ status: 0 }))).status === 200,
    );
    await poll(
      'and written',
      async () =>
        (await call('POST', '/projects', { name: 'again', description: '' })).status === 201,
    );
    expect((await evaluate(call)).summary.metrics[0]).toMatchObject({ passRate: 0.75 });
  },
);

test('a backup of the running containers is whole, and what it is compared with is the same', {
  timeout: 300_000,
}, async () => {
  const operator = ['--profile', 'operator', 'run', '--rm'];
  const made = await compose(...operator, 'backup', '/backups/one');
  expect(made).toMatch(/The backup is in \/backups\/one: \d+ documents\./);
  await compose(...operator, 'restore', '--verify', '/backups/one');
});

test('a process that dies is started again by itself', { timeout: 300_000 }, async () => {
  for (const service of ['catalog', 'gateway']) {
    await docker('exec', container(service), ...signalled('SIGKILL')).catch(() => undefined);
    const restarts = () => docker('inspect', '--format', '{{.RestartCount}}', container(service));
    await poll(`${service} is started again`, async () => Number(await restarts()) > 0);
    await untilHealthy(container(service));
  }
  expect((await evaluate(call)).summary.metrics[0]).toMatchObject({ passRate: 0.75 });
});
