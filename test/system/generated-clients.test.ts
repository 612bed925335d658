import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from './installation.ts';
import { npmPackages, pythonPackages, run } from './packages.ts';

describe('a client that is generated from the served document', () => {
  let assay: SharedInstallation;
  let folder: string;
  let document: string;
  beforeAll(async () => {
    assay = await shareInstallation();
    folder = await mkdtemp(join(tmpdir(), 'assay-clients-'));
    document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${assay.url}/v2/openapi.json`)).text());
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    ...process.env,
    ASSAY_URL: `${assay.url}/v2`,
    ASSAY_API_KEY: assay.key,
  });

  test('by openapi-typescript compiles, knows the shapes of metrics apart, and holds the first conversation of the docs', async (context) => {
    // Pinned: another version of a generator may make another client.
    const generator = await npmPackages(
      'openapi-typescript@7.13.0',
      'openapi-fetch@0.17.0',
      'typescript@5.9.3',
    );
    if (!generator) return context.skip('No npm registry can be reached.');
    const modules = join(generator, 'node_modules');
    await run(process.execPath, [
      join(modules, 'openapi-typescript/bin/cli.js'),
      document,
      '--output',
      join(folder, 'assay.d.ts'),
      // A field with a default may be left out of a body.
      '--default-non-nullable=false',
    ]);
    const source = conversationInTypeScript.replace(
      "'openapi-fetch'",
      `'${join(modules, 'openapi-fetch/dist/index.mjs')}'`,
    );
    await writeFile(join(folder, 'conversation.mts'), source);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          target: 'es2022',
          module: 'nodenext',
          skipLibCheck: true,
          types: [],
          lib: ['es2022', 'dom'],
        },
        include: ['conversation.mts', 'assay.d.ts'],
      }),
    );
    const compiled = await run(process.execPath, [
      join(modules, 'typescript/bin/tsc'),
      '--project',
      folder,
    ]).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, [join(folder, 'conversation.mjs')], {
      env: environment(),
    });
    expect(JSON.parse(stdout)).toEqual(whatIsSaid);
  });

  test('by openapi-python-client can be imported whole, and holds the first conversation of the docs', async (context) => {
    const generator = await pythonPackages('openapi-python-client==0.29.1');
    if (!generator) return context.skip('Python or its package registry cannot be reached.');
    const python = (...parameters: string[]) =>
      run('python3', parameters, {
        cwd: folder,
        env: { ...environment(), PYTHONPATH: [generator, join(folder, 'assay-client')].join(':') },
      });
    const told = await python('-m', 'openapi_python_client', 'generate', '--path', document);
    // Bodies of lines and of any type have no place in such a client; all others have.
    const leftOut = `${told.stdout}${told.stderr}`.matchAll(/WARNING parsing (\S+ \S+) within/g);
    expect([...new Set([...leftOut].map(([, one]) => one))]).toEqual([
      'GET /projects/{projectId}/export',
      'POST /projects/import',
      'POST /testsets/{testsetId}/testcases/import',
      'POST /runs/{runId}/records/bulk',
      'PUT /runs/{runId}/scores/bulk',
      'PUT /attachments/{attachmentId}/content',
    ]);
    const { stdout } = await python('-c', conversationInPython);
    expect(JSON.parse(stdout)).toEqual(whatIsSaid);
  });
});

const whatIsSaid = {
  inputs: { country: 'Italy' },
  metric: 'exact_match',
  passRate: 0.5,
  missing: 'NOT_FOUND',
};

const conversationInTypeScript = `
import createClient from 'openapi-fetch';
import type { components, paths } from './assay.js';

declare const process: { env: Record<string, string> };
const client = createClient<paths>({
  baseUrl: process.env.ASSAY_URL!,
  headers: { authorization: \`Bearer \${process.env.ASSAY_API_KEY}\` },
});
function done<Value>({ data, error }: { data?: Value; error?: components['schemas']['Failure'] }): Value {
  if (error) throw new Error(error.message);
  return data!;
}

const project = done(await client.POST('/projects', { body: { name: 'Geography', description: '' } }));
const inProject = { path: { projectId: project.id } };
const testset = done(
  await client.POST('/projects/{projectId}/testsets', {
    params: inProject,
    body: {
      name: 'Capitals',
      description: '',
      jsonSchema: { type: 'object', properties: { country: { type: 'string' }, capital: { type: 'string' } } },
      fieldMapping: { inputs: ['country'], expected: ['capital'], metadata: [] },
    },
  }),
);
const { items } = done(
  await client.POST('/testsets/{testsetId}/testcases', {
    params: { path: { testsetId: testset.id } },
    body: {
      items: [
        { jsonData: { country: 'Italy', capital: 'Rome' } },
        { jsonData: { country: 'Norway', capital: 'Oslo' } },
      ],
    },
  }),
);
const metric = done(
  await client.POST('/projects/{projectId}/metrics', {
    params: inProject,
    body: {
      name: 'Same answer',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: { output: '/answer', expected: '/capital', ignoreCase: true } },
    },
  }),
);
const run = done(
  await client.POST('/projects/{projectId}/runs', {
    params: inProject,
    body: { testsetId: testset.id, metricIds: [metric.id] },
  }),
);
const answers = ['rome', 'Bergen'];
for (const [place, { id, inputs, expected }] of items.entries())
  done(
    await client.POST('/runs/{runId}/records', {
      params: { path: { runId: run.id } },
      body: { testcaseId: id, inputs, expected, outputs: { answer: answers[place] } },
    }),
  );
const ofRun = { params: { path: { runId: run.id } } };
while (done(await client.GET('/runs/{runId}', ofRun)).status !== 'completed')
  await new Promise((resolve) => setTimeout(resolve, 50));
const [summary] = done(await client.GET('/runs/{runId}/summary', ofRun)).metrics;
const { error } = await client.GET('/projects/{projectId}', { params: { path: { projectId: run.id } } });
console.log(
  JSON.stringify({
    inputs: items[0]!.inputs,
    metric: metric.evalType === 'heuristic' ? metric.builtin?.name : undefined,
    passRate: summary!.passRate,
    missing: error?.code,
  }),
);
`;

const conversationInPython = `
import importlib, json, os, pkgutil, time
import assay_client
for module in pkgutil.walk_packages(assay_client.__path__, "assay_client."):
    importlib.import_module(module.name)

from assay_client import AuthenticatedClient
from assay_client.api.metrics import create_metric
from assay_client.api.projects import create_project, get_project
from assay_client.api.records import create_record
from assay_client.api.results import get_run_summary
from assay_client.api.runs import create_run, get_run
from assay_client.api.testcases import create_testcases
from assay_client.api.testsets import create_testset
from assay_client.models import (
    CreateHeuristicBooleanMetric, CreateProject, CreateRecord, CreateRun, CreateTestcases,
    CreateTestset, HeuristicBooleanMetric,
)

client = AuthenticatedClient(base_url=os.environ["ASSAY_URL"], token=os.environ["ASSAY_API_KEY"])
project = create_project.sync(client=client, body=CreateProject(name="Geography", description=""))
testset = create_testset.sync(project.id, client=client, body=CreateTestset.from_dict({
    "name": "Capitals", "description": "",
    "jsonSchema": {"type": "object", "properties": {"country": {"type": "string"}, "capital": {"type": "string"}}},
    "fieldMapping": {"inputs": ["country"], "expected": ["capital"], "metadata": []},
}))
items = create_testcases.sync(testset.id, client=client, body=CreateTestcases.from_dict({"items": [
    {"jsonData": {"country": "Italy", "capital": "Rome"}},
    {"jsonData": {"country": "Norway", "capital": "Oslo"}},
]})).items
metric = create_metric.sync(project.id, client=client, body=CreateHeuristicBooleanMetric.from_dict({
    "name": "Same answer", "evalType": "heuristic", "outputType": "boolean",
    "builtin": {"name": "exact_match", "options": {"output": "/answer", "expected": "/capital", "ignoreCase": True}},
}))
assert isinstance(metric, HeuristicBooleanMetric), metric
run = create_run.sync(project.id, client=client, body=CreateRun.from_dict(
    {"testsetId": str(testset.id), "metricIds": [str(metric.id)]}))
for item, answer in zip(items, ["rome", "Bergen"]):
    create_record.sync(run.id, client=client, body=CreateRecord.from_dict({
        "testcaseId": str(item.id), "inputs": item.inputs.to_dict(), "expected": item.expected.to_dict(),
        "outputs": {"answer": answer},
    }))
while str(get_run.sync(run.id, client=client).status) != "completed":
    time.sleep(0.05)
summary = get_run_summary.sync(run.id, client=client).metrics[0]
print(json.dumps({
    "inputs": items[0].inputs.to_dict(), "metric": str(metric.builtin.name),
    "passRate": summary.pass_rate, "missing": str(get_project.sync(run.id, client=client).code),
}))
`;
