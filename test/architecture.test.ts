import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import {
  againstTheLayers,
  againstThePackages,
  fileCycles,
  importingWorkers,
  packageCycles,
  packageOf,
} from './arrows.ts';
import { pastTheDoors } from './doors.ts';
import { parseImports, readSources, root, type SourceFile } from './imports.ts';

const files = readSources();
const folders = [...new Set(files.map(({ path }) => packageOf(path)))].filter((folder) =>
  existsSync(join(root, folder, 'package.json')),
);
const linesMax = 450;

/** A made-up file, to see that a rule can fail. */
const madeUp = (path: string, text: string): SourceFile => ({
  path,
  text,
  imports: parseImports(text),
});

const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

test('the arrows of every service hold: main → service → routes, bus, domain, store', () => {
  expect(againstTheLayers(files)).toEqual([]);
});

test('the arrows between the packages hold: no service imports another, the runtime names no service, contracts import zod and shared/json only', () => {
  expect(againstThePackages(files)).toEqual([]);
});

test('MongoDB, NATS, fastify, threads and the environment are each reached through one door', () => {
  expect(pastTheDoors(files)).toEqual([]);
});

test('the entry of a worker thread is started, and never imported', () => {
  expect(importingWorkers(files)).toEqual([]);
});

test('no files and no packages import each other in a ring', () => {
  expect(fileCycles(files)).toEqual([]);
  expect(packageCycles(files)).toEqual([]);
});

test('every service folder holds the same files', () => {
  const usual = ['README.md', 'package.json', 'tsconfig.json'];
  const sources = ['main', 'service', 'routes', 'bus', 'domain'].map((name) => `src/${name}.ts`);
  const ofDatabase = ['store', 'migrations'].map((name) => `src/${name}.ts`);
  const stateless = ['transfers'];
  const missing = readdirSync(join(root, 'services')).flatMap((service) =>
    [...usual, ...sources, ...(stateless.includes(service) ? [] : ofDatabase)]
      .map((file) => posix.join('services', service, file))
      .filter((path) => !existsSync(join(root, path))),
  );
  expect(missing).toEqual([]);
});

test(`no file is longer than ${linesMax} lines`, () => {
  expect(
    files
      .filter(({ text }) => text.trimEnd().split('\n').length > linesMax)
      .map(({ path }) => path),
  ).toEqual([]);
});

test('no test reads texts of a page that may not be drawn yet, but while it polls', () => {
  const unwaited = ({ path, text }: SourceFile) =>
    text
      .split('\n')
      .filter((line) => /\.all(TextContents|InnerTexts)\(\)/.test(line))
      .filter((line) => !line.includes('poll(') && path !== 'test/console/browser.ts');
  expect(files.filter(({ path }) => path.startsWith('test/')).flatMap(unwaited)).toEqual([]);
});

test('no folder or file is named after what things are in general', () => {
  const general =
    /(^|\/)(utils?|helpers?|common|constants|types|interfaces?|dtos?|models?|managers?)(\/|\.ts$)/;
  expect(files.map(({ path }) => path).filter((path) => general.test(path))).toEqual([]);
});

test('every package is compiled, but for what only tests import, and the console, which vite builds', () => {
  const built = json('tsconfig.json').references.map(({ path }: { path: string }) => path);
  const others = ['shared/testing', 'console'];
  expect(built.toSorted()).toEqual(folders.filter((folder) => !others.includes(folder)).toSorted());
});

test.each(folders)(
  '%s/tsconfig.json references what the package imports, no more and no less',
  (folder) => {
    const references: string[] = (json(`${folder}/tsconfig.json`).references ?? []).map(
      ({ path }: { path: string }) => posix.join(folder, path),
    );
    const inside = files.filter(
      ({ path }) => packageOf(path) === folder && !path.startsWith(`${folder}/test/`),
    );
    const names = new Map(folders.map((other) => [json(`${other}/package.json`).name, other]));
    const imported = inside.flatMap(({ imports }) =>
      imports.flatMap(({ specifier }) => names.get(specifier.split('/', 2).join('/')) ?? []),
    );
    expect(references.toSorted()).toEqual([...new Set(imported)].toSorted());
  },
);

test('the parser sees every form of import, and no import in comments or texts', () => {
  const text = `
import a from 'a';
import type { B } from 'b';
import { type C, type D } from 'c';
import { type E, f } from 'd';
import {
  g,
  type H,
} from "e";
import 'f';
export * from 'g';
export type { I } from 'h';
const later = await import('i');
import * as j from './j.ts';
// import k from 'k';
/* import l from 'l'; */
const text = "import m from 'm'";
import type from 'n';
`;
  expect(
    parseImports(text).map(({ specifier, isTypeOnly }) =>
      isTypeOnly ? `type ${specifier}` : specifier,
    ),
  ).toEqual(['a', 'type b', 'type c', 'd', 'e', 'f', 'g', 'type h', 'i', './j.ts', 'n']);
});

test.each([
  [
    'the domain reaches for the database',
    'services/catalog/src/domain.ts',
    `import { createStore } from './store.ts';`,
  ],
  [
    'a route reaches past the domain',
    'services/catalog/src/routes.ts',
    `import type { Store } from './store.ts';`,
  ],
  [
    'the store knows the edges',
    'services/catalog/src/store.ts',
    `import type { x } from './routes.ts';`,
  ],
  [
    'the domain opens files',
    'services/catalog/src/domain/files.ts',
    `import { readFile } from 'node:fs/promises';`,
  ],
  [
    'the domain speaks on the bus',
    'services/catalog/src/domain.ts',
    `import { connectBus } from '@assay/runtime/bus/bus';`,
  ],
  [
    'a rule beside the domain asks the store',
    'services/metrics/src/checks.ts',
    `import { createStore } from './store.ts';`,
  ],
  [
    'the ground of accounts stands on the domain',
    'services/run-records/src/domain/accounts/a.ts',
    `import type { Runs } from '../runs/runs.ts';`,
  ],
  [
    'main does the wiring',
    'services/catalog/src/main.ts',
    `import { createStore } from './store.ts';`,
  ],
])('a layer that should not is found: %s', (_what, path, text) => {
  expect(againstTheLayers([madeUp(path, text)])).toHaveLength(1);
});

test.each([
  [
    'a service imports another',
    'services/catalog/src/service.ts',
    `import { start } from '@assay/metrics/service';`,
  ],
  [
    'a service reaches into the folder of another',
    'services/catalog/src/domain.ts',
    `import { a } from '../../metrics/src/domain.ts';`,
  ],
  [
    'the statistics know the house',
    'engines/statistics/a.ts',
    `import type { OutputType } from '@assay/contracts/metrics';`,
  ],
  [
    'the runtime names a service',
    'shared/runtime/bus/bus.ts',
    `import { catalog } from '@assay/contracts/catalog';`,
  ],
  [
    'contracts import the runtime',
    'shared/contracts/catalog.ts',
    `import { a } from '@assay/runtime/ids';`,
  ],
  ['contracts import node', 'shared/contracts/catalog.ts', `import { a } from 'node:crypto';`],
  [
    'the examples go past the public interface',
    'examples/src/demo.ts',
    `import { a } from '@assay/runtime/ids';`,
  ],
])('a package that should not is found: %s', (_what, path, text) => {
  expect(againstThePackages([madeUp(path, text)])).toHaveLength(1);
});

test.each([
  ['mongodb', 'services/catalog/src/domain.ts', `import type { Db } from 'mongodb';`],
  [
    'MongoClient: `createMongoClient` makes one whose commands are all answered (ADR 82)',
    'local/src/mongod.ts',
    'const client = new MongoClient(uri);',
  ],
  ['nats', 'services/scoring/src/bus.ts', `import { connect } from 'nats';`],
  ['fastify', 'shared/runtime/http/route.ts', `import fastify from 'fastify';`],
  [
    'types of fastify',
    'shared/runtime/mongo/database.ts',
    `import type { FastifyRequest } from 'fastify';`,
  ],
  ['process.env', 'services/catalog/src/service.ts', 'const url = process.env.MONGODB_URI;'],
  ['process.env', 'services/catalog/src/service.ts', 'const { env } = process;'],
  ['node:process', 'services/catalog/src/service.ts', `import { env } from 'node:process';`],
])('what goes past a door is found: %s in %s', (what, path, text) => {
  expect(pastTheDoors([madeUp(path, text)])).toEqual([`${path} touches ${what}`]);
});

test('an import of the entry of a worker thread is found, and one of its types is none', () => {
  const [value, types] = [
    `import work from '../src/sum-worker.ts';`,
    `import type { Sum } from '../src/sum-worker.ts';`,
  ];
  expect(importingWorkers([madeUp('gateway/test/a.test.ts', value)])).toEqual([
    'gateway/test/a.test.ts → gateway/src/sum-worker.ts',
  ]);
  expect(importingWorkers([madeUp('gateway/test/a.test.ts', types)])).toEqual([]);
});

test('a ring is found between files and between packages, of types too', () => {
  const ring = [
    madeUp('gateway/src/a.ts', `import { b } from './b.ts';`),
    madeUp('gateway/src/b.ts', `export { a } from './a.ts';`),
  ];
  expect(fileCycles(ring)).toEqual(['gateway/src/a.ts → gateway/src/b.ts → gateway/src/a.ts']);
  expect(
    fileCycles([ring[0]!, madeUp('gateway/src/b.ts', `import type { a } from './a.ts';`)]),
  ).toHaveLength(1);
  const packages = [
    madeUp('shared/runtime/a.ts', `import type { A } from '@assay/json-schema/a';`),
    madeUp('engines/json-schema/a.ts', `import { a } from '@assay/runtime/a';`),
  ];
  expect(packageCycles(packages)).toEqual([
    'shared/runtime → engines/json-schema → shared/runtime',
  ]);
});
