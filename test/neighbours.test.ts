import { contracts } from '@assay/contracts/all';
import type { Operation } from '@assay/contracts/define';
import { expect, test } from 'vitest';
import { attacks } from '../bench/src/neighbours/attacks.ts';
import { attackedBy, type Line, operations, tools } from '../bench/src/neighbours/operations.ts';
import { createTallies, undone } from '../bench/src/neighbours/tallies.ts';
import { tools as servedTools } from '../mcp/src/tools.ts';

const operationNames = contracts.flatMap((service) => Object.keys(service.operations));
const attackNames = attacks.map(({ name }) => name);
const namedAttacks = Object.values({ ...operations, ...tools }).flatMap((line) =>
  typeof line === 'string' ? [] : [line.attack],
);

test('the benchmark of neighbours has a line for every operation of the contract, and no other', () => {
  expect(Object.keys(operations).sort()).toEqual(operationNames.sort());
});

test('the benchmark of neighbours has a line for every tool of agents, and no other', () => {
  expect(Object.keys(tools).sort()).toEqual(servedTools.map(({ name }) => name).sort());
});

test('no two services have an operation of the same name', () => {
  expect(new Set(operationNames).size).toBe(operationNames.length);
});

test('an operation that is attacked has turns beside other organizations, or its line says what else bounds it', () => {
  const expensive = contracts.flatMap((service) =>
    Object.entries<Operation>(service.operations).flatMap(([name, definition]) =>
      definition.expensive ? [name] : [],
    ),
  );
  const unbounded = Object.entries<Line>(operations).flatMap(([name, line]) =>
    typeof line === 'string' || line.bound ? [] : [name],
  );
  expect(expensive.sort()).toEqual(unbounded.sort());
});

test('every attack that an operation names exists', () => {
  expect(namedAttacks.filter((name) => !attackNames.includes(name))).toEqual([]);
});

test('every attack has a name of its own that an option can list', () => {
  expect(new Set(attackNames).size).toBe(attackNames.length);
  expect(attackNames.filter((name) => name.includes(','))).toEqual([]);
});

test('an attack that no operation and no tool names is one that once stopped all others', () => {
  expect(attackNames.filter((name) => attackedBy(name).length === 0).sort()).toEqual([
    'code that never ends',
    'large patterns',
    'uploads that stop',
  ]);
});

test('work of which no answer showed anything is not done', () => {
  const tallies = createTallies();
  tallies.add('exportRecords', 3);
  tallies.miss('importProject', '400 NOT_FOUND');
  expect(undone(['exportRecords', 'importProject', 'compareRuns'], tallies.all())).toEqual([
    'importProject (400 NOT_FOUND)',
    'compareRuns (not answered yet)',
  ]);
});
