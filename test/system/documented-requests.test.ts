import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { exampleIds, exampleSignedUrl, exampleUserCode } from '@assay/contracts/examples';
import { poll } from '@assay/testing/poll';
import { beforeAll, describe, expect, test } from 'vitest';
import { createReference, type ReferenceOperation } from '../../gateway/src/docs/reference.ts';
import { languages, requestOf } from '../../gateway/src/docs/snippets.ts';
import { createOpenApi } from '../../gateway/src/openapi.ts';
import { root } from '../imports.ts';
import { callAt, type SharedInstallation, shareInstallation } from './installation.ts';
import {
  readTypeScript,
  type SnippetRunner,
  startPython,
  startShell,
  startTypeScript,
} from './snippet-runners.ts';
import { exportOf } from './tenant.ts';

/**
 * The requests that the documentation shows, sent as they stand there, with ids of this
 * installation in place of the made-up ones. Machines without Python or curl leave theirs out; in
 * CI there must be both.
 */
const operations = createReference(createOpenApi(contracts), contracts).tags.flatMap(
  ({ operations }) => operations,
);

/** Operations whose examples cannot be sent as they stand, and why. */
const exempt: Record<string, string> = {
  createBrowserSession: 'its token signs a browser in once, and there is none',
  deleteBrowserSession: 'a browser has a session, and a key has none',
  createDownload: 'a session signs it, and a key has none',
  createDeviceKey: 'its code is the secret of one device',
  denyDeviceLogin: 'the login of the example is approved before',
  deleteDeviceLogin: 'no device login gave the key',
  simulateAgent: 'it was removed, and answers 410',
  importProject: 'its file is what exportProject writes, and its example only the first line',
  createPairwiseComparison: 'it needs the provider of a judge',
  estimatePairwiseComparison: 'it needs the provider of a judge',
  getPairwiseComparison: 'it needs the provider of a judge',
  listPairJudgements: 'it needs the provider of a judge',
  retryPairwiseComparison: 'it needs the provider of a judge',
  deletePairwiseComparison: 'it needs the provider of a judge',
  drawLabels: 'it needs the provider of a judge',
  getLabelDraw: 'it needs the provider of a judge',
  getReliability: 'it needs the provider of a judge',
};

/** Where the order of the documentation is not that of one conversation. */
const first = ['createMember'];
const last = [
  'previewMetric',
  'previewNewMetric',
  'setBaseline',
  'streamRunEvents',
  'deleteTestcaseAnnotation',
  'deleteTestcases',
];

const sent = operations.filter(({ id }) => !(id in exempt));
const isDeletion = ({ method }: ReferenceOperation) => method === 'DELETE';
const conversation = [
  ...sent.filter(({ id }) => first.includes(id)),
  ...sent.filter((one) => !isDeletion(one) && ![...first, ...last].includes(one.id)),
  ...last.map((name) => sent.find(({ id }) => id === name)!),
  ...sent.filter((one) => isDeletion(one) && !last.includes(one.id)).toReversed(),
];

const starters = { curl: startShell, typescript: startTypeScript, python: startPython };

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const programs = { curl: 'curl', typescript: process.execPath, python: 'python3' };
const spoken = languages.filter(({ name }) => process.env.CI || isThere(programs[name]));

let assay: SharedInstallation;
beforeAll(async () => {
  assay = await shareInstallation();
});

describe.each(spoken)('the requests of the documentation in $title', ({ name, write }) => {
  test('are answered, one after the other, as the pages have them', async () => {
    const { key } = await assay.newOrganization(`Documented in ${name}`);
    await using runner = starters[name]({ ASSAY_API_KEY: key });
    const call = callAt(assay.url, key);
    const ids = new Map<string, string>();
    const metrics = new Map<string, string>();
    for (const operation of conversation) {
      if (operation.id === 'streamRunEvents')
        await finishRun(call, ids.get(exampleIds.run)!, ids.get(exampleIds.testset)!);
      if (operation.id === 'listTraces') await sendSpan(call, ids.get(exampleIds.project)!);
      const bodies = operation.bodies.length > 0 ? operation.bodies : [undefined];
      for (const [index, body] of bodies.entries()) {
        // A metric can be changed in its own shape only.
        const metric = metrics.get(body?.title.replace('Update', 'Create') ?? '');
        const own = operation.id === 'updateMetric' ? [[exampleIds.metric, metric!] as const] : [];
        const code = [...own, ...ids].reduce(
          (text, [example, real]) => text.replaceAll(example, real),
          write(requestOf(operation, body, assay.url)),
        );
        const printed = await runOne(runner, code, operation.id);
        const reply = parsed(printed);
        if (operation.id === 'createMetric') metrics.set(body!.title, reply.id);
        for (const [example, real] of learned(operation.id, index, body?.title ?? '', reply))
          ids.set(example, real);
      }
    }
    expect((await call('GET', '/projects')).body.data).toEqual([]);
  });
});

async function runOne(runner: SnippetRunner, code: string, id: string): Promise<string> {
  try {
    return await runner.run(code);
  } catch (error) {
    throw new Error(`${id}: ${(error as Error).message}\n${code}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a reply of any operation.
function parsed(printed: string): any {
  try {
    return JSON.parse(printed);
  } catch {
    return printed;
  }
}

/** The real ids that a reply tells, by the made-up ones of the examples. */
// biome-ignore lint/suspicious/noExplicitAny: a reply of any operation.
function learned(id: string, index: number, title: string, reply: any): [string, string][] {
  const ofReply: Record<string, () => [string, string][]> = {
    createMember: () => [[exampleIds.user, reply.userId]],
    createProject: () => [[exampleIds.project, reply.id]],
    createView: () => [[exampleIds.view, reply.id]],
    createTestset: () => [[exampleIds.testset, reply.id]],
    createTestcases: () => (index === 0 ? [[exampleIds.testcase, reply.items[0].id]] : []),
    upsertSystem: () => [
      [exampleIds.system, reply.id],
      [exampleIds.systemVersion, reply.productionVersion.id],
    ],
    createMetric: () =>
      title === 'CreateHeuristicBooleanMetric' ? [[exampleIds.metric, reply.id]] : [],
    createMetricGroup: () => [[exampleIds.metricGroup, reply.id]],
    createRun: () => {
      if (index > 0) return index === 2 ? [[exampleIds.otherRun, reply.id]] : [];
      return [
        [exampleIds.run, reply.id],
        [exampleIds.metricVersion, reply.metricVersionIds[0]],
      ];
    },
    createRecord: () => (index === 0 ? [[exampleIds.record, reply.id]] : []),
    createDeviceLogin: () => [[exampleUserCode, reply.userCode]],
    saveMonitor: () => [[exampleIds.monitor, reply.id]],
    createAnnotation: () => [[exampleIds.recordAnnotation, reply.id]],
    createTestcaseAnnotation: () => [[exampleIds.testcaseAnnotation, reply.id]],
    createTraceAnnotation: () => [[exampleIds.annotation, reply.id]],
    createInvitation: () => [[exampleIds.invitation, reply.id]],
    createApiKey: () => [[exampleIds.apiKey, reply.id]],
    declareAttachment: () => [[exampleIds.attachment, reply.id], ...signed(reply.uploadUrl)],
    getAttachment: () => signed(reply.downloadUrl),
  };
  return ofReply[id]?.() ?? [];
}

function signed(url: string): [string, string][] {
  const { searchParams: query } = new URL(url, 'http://assay');
  return Object.entries(exampleSignedUrl).flatMap(([name, made]): [string, string][] => {
    const real = query.get(name);
    return real === null ? [] : [[made, real]];
  });
}

/** Sends the span of the examples, whose ids clients make. */
async function sendSpan(call: SharedInstallation['call'], project: string) {
  const { trace, span } = exampleIds;
  const { status } = await call('POST', '/otel/v1/traces', exportOf({ trace, span, project }));
  expect(status).toBe(200);
}

/** Adds the records that a run still expects, so that the stream of its events ends. */
async function finishRun(call: SharedInstallation['call'], runId: string, testsetId: string) {
  const { body } = await call('GET', `/testsets/${testsetId}/testcases?limit=100`);
  for (const { id } of body.data)
    await call('POST', `/runs/${runId}/records`, {
      testcaseId: id,
      inputs: {},
      expected: { idealAnswer: 'Yes' },
      outputs: { response: 'yes' },
    });
  await poll('the run is over', async () => {
    const { status } = (await call('GET', `/runs/${runId}`)).body;
    return status === 'completed';
  });
}

test('every operation is sent, or named with the reason why not', () => {
  const names = operations.map(({ id }) => id);
  expect(conversation.map(({ id }) => id).toSorted()).toEqual(
    names.filter((name) => !(name in exempt)).toSorted(),
  );
  expect(Object.keys(exempt).filter((name) => !names.includes(name))).toEqual([]);
});

test('every request of the documentation is code of its language', () => {
  const codeIn = (language: string) => {
    const { write } = languages.find(({ name }) => name === language)!;
    return operations.flatMap((operation) =>
      (operation.bodies.length > 0 ? operation.bodies : [undefined]).map((body) =>
        write(requestOf(operation, body, assay.url)),
      ),
    );
  };
  for (const code of codeIn('typescript')) expect(() => readTypeScript(code)).not.toThrow();
  execFileSync('bash', ['-n'], { input: codeIn('curl').join('\n') });
  if (spoken.some(({ name }) => name === 'python'))
    execFileSync(
      'python3',
      ['-c', 'import ast, sys\nfor code in sys.stdin.read().split("\\0"): ast.parse(code)'],
      {
        input: codeIn('python').join('\0'),
      },
    );
  const folder = mkdtempSync(join(root, 'node_modules/.snippets-'));
  try {
    const file = join(folder, 'snippets.mts');
    writeFileSync(
      file,
      codeIn('typescript')
        .map((code) => `async () => {\n${code}};\n`)
        .join(''),
    );
    const options =
      '--ignoreConfig --noEmit --strict --target es2022 --module nodenext --types node'.split(' ');
    execFileSync(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...options,
      file,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
