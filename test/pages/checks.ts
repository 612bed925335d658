import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { payloadPlan } from '@assay/contracts/body-shape';
import { statusOfFailure } from '@assay/contracts/failure';
import { checkTemplate } from '@assay/prompt-template/check';
import { parseBody } from '@assay/runtime/http/body';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { root } from '../imports.ts';
import { documented } from '../system/client-scripts.ts';
import type { Installation } from '../system/installation.ts';
import { type Block, placeOf } from './blocks.ts';

/** Proves a block that is not run; throws where the block is wrong. */
export type Check = (block: Block, assay: Installation) => unknown;

/** Returns the check for a block that is neither run nor text; undefined where there is none. */
export function checkOf(block: Block): Check | undefined {
  return {
    json: jsonCheck(block),
    yaml: yamlCheck(block),
    jinja,
    js: shell,
    ts: code,
    python: code,
  }[block.kind];
}

const anyId = '019a9c1e-7d3a-7000-8000-0242ac120002';

function jsonCheck({ text, lead }: Block): Check | undefined {
  if (/"(mcpServers|servers)"/.test(text)) return agentClient;
  if (/^\{ "code"/.test(text)) return failureBody;
  return /`(POST|PUT|PATCH) \/\S+`/.test(lead) ? requestBody : undefined;
}

/** The body of the operation that the paragraph before it names. */
function requestBody({ text, lead }: Block): void {
  const [, method, path] = [...lead.matchAll(/`(POST|PUT|PATCH) (\/\S+?)`/g)].at(-1)!;
  const shape = (one: string) => one.replaceAll(/:\w+|\{\w+\}/g, ':');
  const operation = contracts
    .flatMap(({ operations }) => Object.values(operations))
    .find((one) => one.method === method && shape(one.path) === shape(path!));
  const body = Buffer.from(text.replaceAll('"…"', `"${anyId}"`));
  expect(operation?.body?.safeParse(parseBody(body, payloadPlan(operation.body)))).toMatchObject({
    success: true,
  });
}

function failureBody({ text }: Block): void {
  const { code, message } = JSON.parse(text);
  expect(Object.keys(statusOfFailure)).toContain(code);
  expect(message).toMatch(/\.$/);
}

/** A client of MCP: what it is told reaches the server, or starts the command that serves. */
async function agentClient({ text }: Block, assay: Installation): Promise<void> {
  const told = JSON.parse(text);
  const { url, headers, args } = (told.servers ?? told.mcpServers).assay;
  if (!url) return expect(args).toEqual(['--yes', 'http://127.0.0.1:4400/sdk/assay.tgz', 'mcp']);
  const { pathname, origin } = new URL(url);
  expect(origin).toBe('http://127.0.0.1:4400');
  const key = headers.Authorization.replace(/ak_…|\$\{input:assay-key\}/, assay.key);
  const reply = await fetch(`${assay.url}${pathname}`, {
    method: 'POST',
    headers: {
      authorization: key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  expect(reply.status).toBe(200);
  expect(/"name":"list_records"/.test(await reply.text())).toBe(true);
}

function yamlCheck({ text }: Block): Check | undefined {
  if (/^- uses: /.test(text)) return githubStep;
  if (/^ {2}extends: /m.test(text)) return gitlabJob;
  return /^strategy:/.test(text) ? testMatrix : undefined;
}

const yamlAt = (path: string) => parse(readFileSync(join(root, path), 'utf8'));

function githubStep({ text }: Block): void {
  const [step] = parse(text);
  const { inputs } = yamlAt('ci/github/action.yml');
  expect(step.uses).toBe('./.github/actions/assay-gate');
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  const required = Object.keys(inputs).filter((name) => inputs[name].required);
  expect(Object.keys(step.with)).toEqual(expect.arrayContaining(required));
}

function gitlabJob({ text }: Block): void {
  const { include, ...jobs } = parse(text);
  expect(existsSync(join(root, include.local))).toBe(true);
  const template = yamlAt(include.local);
  for (const job of Object.values<{ extends: string; variables: object }>(jobs)) {
    const { variables, script } = template[job.extends];
    const known = [...Object.keys(variables ?? {}), ...script.join('\n').split(/\W+/)];
    expect(known).toEqual(expect.arrayContaining(Object.keys(job.variables)));
  }
}

/** A matrix of the tests: variables that the tests read, and scripts that there are. */
function testMatrix({ text }: Block): void {
  const { strategy, steps } = parse(text);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const reader = readFileSync(join(root, 'shared/testing/server-choice.ts'), 'utf8');
  for (const { run, env } of steps) {
    expect(Object.keys(scripts)).toContain(run.replace('npm ', ''));
    for (const [name, value] of Object.entries<string>(env)) {
      expect(reader).toContain(name);
      expect(Object.keys(strategy.matrix)).toContain(/matrix\.(\w+)/.exec(value)![1]);
    }
  }
}

const jinja: Check = ({ text }) => expect(checkTemplate(text)).toEqual([]);

/** Commands for MongoDB's shell: they name collections of the services. */
const shell: Check = ({ text }) => {
  const named: string[] = [];
  const sh = {
    enableSharding: (name: string) => expect(name).toMatch(/^assay_/),
    shardCollection: (name: string) => void named.push(name),
  };
  new Function('sh', text)(sh);
  const isThere = (name: string) => {
    const [, service, collection] = /^assay_([\w-]+)\.(\w+)$/.exec(name)!;
    const sources = readdirSync(join(root, 'services', service!, 'src'), { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, 'services', service!, 'src', path), 'utf8'));
    return sources.some((source) =>
      new RegExp(`collection(<.*>)?\\('${collection}'\\)`).test(source),
    );
  };
  expect(named).not.toEqual([]);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
};

/** Code of the packages, which test/system/clients.test.ts runs. */
const code: Check = (block) => {
  const kind = block.kind as 'ts' | 'python';
  const programs = [/evaluate\b/, /evaluates/].map((pattern) => documented(kind, pattern));
  const isThere = (line: string) => programs.some((program) => program.includes(line));
  expect(
    block.text.split('\n').filter((line) => !isThere(line)),
    `${placeOf(block)} is in no program of clients.test.ts`,
  ).toEqual([]);
};
