import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { contracts, serviceNames, urlVariable } from '@assay/contracts/all';
import { describe, expect, test } from 'vitest';
import { ingredientTask } from '../examples/src/ingredients/task.ts';
import { readSources, root } from './imports.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));

/** Every file of the repository, without what was built or installed. */
const files = filesIn('');
const pages = files.filter((path) => path.endsWith('.md'));

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return isIgnored(path, entry.name) ? [] : filesIn(path);
  });
}

/** As .gitignore says; `release` alone is the root's own. */
function isIgnored(path: string, name: string): boolean {
  return (
    path === 'release' || /^(node_modules|dist|coverage|screenshots|\.git|\.assay)$/.test(name)
  );
}

/** The text of a page without its fenced blocks. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/**
 * What links and code spans name, as paths from the root. A span names a file when it begins with
 * one of our folders.
 */
function namedFiles(page: string, text: string): string[] {
  const links = [...prose(text).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) =>
    posix.join(posix.dirname(page), target!),
  );
  const spans = [
    ...prose(text).matchAll(
      /`((?:shared|engines|services|gateway|local|examples|test|bench|scripts|docs|\.ci)\/[\w./-]+)`/g,
    ),
  ];
  return [...links, ...spans.map(([, path]) => path!)];
}

/**
 * The sources that code spans name without their folder, `check.ts` or `{scan,check}.ts`. A span
 * with a placeholder, such as `<service>.ts`, names none.
 */
function namedSources(text: string): string[] {
  const spans = prose(text).matchAll(/`([\w./{},-]+\.(?:tsx?|css))`/g);
  return [...spans].flatMap(([, name]) => {
    const [, before, members, after] = /^(.*)\{(.*)\}(.*)$/.exec(name!) ?? [];
    return members ? members.split(',').map((member) => `${before}${member}${after}`) : [name!];
  });
}

const isSource = (name: string): boolean =>
  name.startsWith('.') || files.some((path) => path === name || path.endsWith(`/${name}`));

/** The operations that code spans name. Those below other paths belong to other programs. */
function namedOperations(text: string): string[] {
  const spans = prose(text).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/\w[^`\s?]*)/g);
  return [...spans]
    .map(([, method, path]) => `${method} ${shapeOf(path!.replace(/^\/v2\//, '/'))}`)
    .filter((name) => !/ \/(api\/public|otel|mcp|openapi\.json)/.test(name));
}

const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}|[:$]\w+/g, ':');
const operations = new Set(
  contracts.flatMap((service) =>
    Object.values(service.operations).map(({ method, path }) => `${method} ${shapeOf(path)}`),
  ),
);

const scriptsNamed = (text: string) =>
  [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start)\b)/g)].map(
    ([, run, short]) => run ?? short!,
  );

describe.each(pages)('%s', (page) => {
  test('names only files that there are', () => {
    const isThere = (path: string) =>
      [path, posix.join(posix.dirname(page), path)].some((one) => existsSync(join(root, one)));
    expect(namedFiles(page, read(page)).filter((path) => !isThere(path))).toEqual([]);
  });

  test('names only sources that there are', () => {
    expect(namedSources(read(page)).filter((name) => !isSource(name))).toEqual([]);
  });

  test('names only operations that there are', () => {
    expect(namedOperations(read(page)).filter((name) => !operations.has(name))).toEqual([]);
  });

  test('names only npm scripts that there are', () => {
    const scriptsIn = (folder: string) => {
      const file = posix.join(folder, 'package.json');
      return files.includes(file) ? JSON.parse(read(file)).scripts : {};
    };
    const scripts = { ...scriptsIn('.'), ...scriptsIn(posix.dirname(page)) };
    expect(scriptsNamed(read(page)).filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Pages that list the members of folders: their sources in code spans, their folders with a `/`. */
const lists: [page: string, folder: string][] = [
  ['README.md', '.'],
  ['engines/README.md', 'engines'],
  ['engines/judge-templates/README.md', 'engines/judge-templates'],
  ['engines/prompt-template/README.md', 'engines/prompt-template'],
  ['engines/text-search/README.md', 'engines/text-search'],
  ['engines/statistics/README.md', 'engines/statistics'],
  ['gateway/README.md', 'gateway/src'],
  ['mcp/README.md', 'mcp/src'],
  ['shared/json/README.md', 'shared/json'],
  ...['bus', 'concurrency', 'http', 'json', 'mongo', 'uploads'].map((folder): [string, string] => [
    'shared/runtime/README.md',
    `shared/runtime/${folder}`,
  ]),
];

function membersOf(folder: string): string[] {
  const within = files
    .map((path) => posix.relative(folder, path))
    .filter((path) => !path.startsWith('.'));
  const folders = within
    .filter((path) => path.includes('/'))
    .map((path) => `${path.split('/')[0]}/`);
  const sources = within.filter((path) => !path.includes('/') && path.endsWith('.ts'));
  return folder === '.' ? [...new Set(folders)] : [...new Set([...folders, ...sources])];
}

test.each(lists)('%s lists the members of %s', (page, folder) => {
  const members = membersOf(folder).filter((name) => folder === '.' || name !== 'test/');
  const isListed = (name: string) => new RegExp(`(?:^|\`)${name.replace('.', '\\.')}`, 'm');
  expect(members.length).toBeGreaterThan(1);
  expect(members.filter((name) => !isListed(name).test(read(page)))).toEqual([]);
});

test('docs/architecture.md has a row for the gateway and for each service', () => {
  const table = /^## The services\n([\s\S]*?)^## /m.exec(read('docs/architecture.md'))![1]!;
  const rows = [...table.matchAll(/^\| ([a-z][\w-]*) +\| /gm)].map(([, name]) => name!);
  expect(rows.toSorted()).toEqual(['gateway', 'service', ...serviceNames].toSorted());
});

test('gateway/README.md names the address of every service', () => {
  const text = read('gateway/README.md');
  expect(serviceNames.map(urlVariable).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('docs/operations.md and the drawing of docs/architecture.md name every service', () => {
  const processes = /Each of ([^.]*) is a process/.exec(read('docs/operations.md'))![1]!;
  const named = [...processes.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!);
  expect(named.toSorted()).toEqual(['gateway', ...serviceNames].toSorted());
  const drawing = /^```text\n([\s\S]*?)^```/m.exec(read('docs/architecture.md'))![1]!;
  expect(serviceNames.filter((name) => !drawing.includes(` ${name}`))).toEqual([]);
});

test('the README says how much the demo evaluates', () => {
  const { testcases, versions } = ingredientTask('a/judge');
  const words = ['no', 'one', 'two', 'three', 'four', 'five'];
  expect(read('README.md').replaceAll('\n', ' ')).toContain(
    `${words[versions.length]} versions of a small program on ${testcases.length} testcases`,
  );
});

/** A number of what there will be more of. */
const count =
  /(?:\b(?:the|all|these|its)|^#?) (?:[6-9]|\d\d|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen)(?: \S+)? (?:services|processes|engines|evaluators|judges|formats|tools|providers|operations)\b/gim;

test('no page counts what there will be more of: services, engines, formats', () => {
  const texts = ['docker-compose.yml', 'Dockerfile', '.env.example', ...pages];
  // What was is told with its numbers.
  const current = texts.filter((path) => !/^(CHANGELOG\.md|docs\/adr\/)/.test(path));
  const counts = current.flatMap((path) =>
    [...read(path).matchAll(count)].map(([found]) => `${path}: ${found}`),
  );
  expect(counts).toEqual([]);
  expect('# The eleven processes, of all fifteen other tools'.match(count)).toHaveLength(2);
});

test('the programs name only pages that there are, by their title, file or address', () => {
  const titles = pages.map((page) => /^# (.*)$/m.exec(read(page))?.[1]);
  const ways: [named: RegExp, isThere: (name: string) => boolean][] = [
    [/\bthe page "([^"$]+)"/gi, (title) => titles.includes(title)],
    [/\bdocs\/([\w/-]+)\.md\b/g, (name) => files.includes(`docs/${name}.md`)],
    [/\/docs\/guides\/([\w/-]+)/g, (name) => files.includes(`docs/${name}.md`)],
  ];
  const programs = readSources().filter(({ path }) => !/(^|\/)test\//.test(path));
  for (const [pattern, isThere] of ways) {
    const named = programs.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(([, name]) => ({ path, name: name! })),
    );
    expect(named.length, `${pattern}`).toBeGreaterThan(0);
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  }
});

test('every function that docs/request-path.md names stands in the file that it is named with', () => {
  const steps = [
    ...`${read('docs/request-path.md')}\n\n`.matchAll(/^\d+\. ([\s\S]*?)(?=\n\d+\. |\n\n)/gm),
  ].map(([, text]) => text!);
  const missing = steps.flatMap((text) => {
    const file = /`([\w./-]+\.ts)`/.exec(text)?.[1] ?? 'no file';
    const source = existsSync(join(root, file)) ? read(file) : '';
    const names = [...text.matchAll(/`([\w.]+)\(\)`/g)].flatMap(
      ([, name]) => name!.split('.').at(-1)!,
    );
    return names
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(source))
      .map((name) => `${file} has no ${name}`);
  });
  expect(steps.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

test('every decision says its context, what was decided, what follows and how it stands, and is in the list', () => {
  const decisions = pagesIn('docs/adr').filter((name) => name !== 'README.md');
  const listed = [...read('docs/adr/README.md').matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(
    ([, name]) => name!,
  );
  expect(listed).toEqual(decisions.toSorted());
  for (const name of decisions) {
    const headings = [...read(`docs/adr/${name}`).matchAll(/^## (.*)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings, name).toEqual(['Context', 'Decision', 'Consequences', 'Status']);
  }
});

test('a broken link, a file that is not there and an unknown script are found', () => {
  const text =
    'See [it](../nowhere.md#part) and `shared/runtime/none.ts`, or `npm run nothing`.\n```text\n`shared/fenced.ts`\n```\n';
  expect(namedFiles('docs/page.md', text)).toEqual(['nowhere.md', 'shared/runtime/none.ts']);
  expect(scriptsNamed('npm run nothing, npm test')).toEqual(['nothing', 'test']);
  const paths = '`GET /v2/runs/{runId}`, `POST /runs/:runId/nothing` and `GET /api/public/traces`';
  expect(namedOperations(paths).map((name) => operations.has(name))).toEqual([true, false]);
  expect(namedSources('`json-check.ts`, `json/{scan,none}.ts` and `<service>.ts`')).toEqual([
    'json-check.ts',
    'json/scan.ts',
    'json/none.ts',
  ]);
  expect(['json-check.ts', 'json/scan.ts', 'json/none.ts'].filter(isSource)).toEqual([
    'json/scan.ts',
  ]);
});
