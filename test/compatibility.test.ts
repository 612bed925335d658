import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { operation, question, type Service, service } from '@assay/contracts/define';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ContractShapes, shapesOf } from '../scripts/contract-shapes.ts';
import { breakingChanges } from './breaking.ts';
import { root } from './imports.ts';

/** Places that are documented as an object of any members: nobody may rely on more. */
const freeForm = ['warnings[].details{}'];

/**
 * The threshold of a float metric whose scale lacks an end, which no metric of the last release is
 * (ADR 67): there is no value that it could have.
 */
const isOfOpenScale = (change: string): boolean =>
  /outputType=float[^.]*\.passingThreshold .* may now be missing\.$/.test(change);

test('clients and processes of the last release go on working: no contract has lost what they may rely on', () => {
  const released: { version: string; contracts: ContractShapes } = JSON.parse(
    readFileSync(join(root, 'docs', 'released-contracts.json'), 'utf8'),
  );
  expect(
    breakingChanges(released.contracts, shapesOf(contracts)).filter(
      (change) => !freeForm.some((place) => change.includes(place)) && !isOfOpenScale(change),
    ),
    `docs/compatibility.md says what may change after ${released.version}`,
  ).toEqual([]);
});

const body = z.object({
  name: z.string(),
  size: z.enum(['small', 'large']),
  note: z.string().optional(),
});
const reply = z.object({
  id: z.string(),
  size: z.enum(['small', 'large']),
  at: z.string().nullable(),
});
const make = {
  method: 'POST',
  path: '/things/:thingId',
  summary: '',
  body,
  reply,
  status: 201,
} as const;

/** What is found after `change` in a service with one operation and one question. */
function foundAfter(
  change: Partial<Parameters<typeof operation>[0]>,
  asked: z.ZodType = body,
): string[] {
  const withThing = (definition: object, payload: z.ZodType) =>
    shapesOf([
      service({
        name: 'things',
        summary: '',
        operations: { make: operation(definition as never) },
        questions: { ask: question({ payload, reply, summary: '' }) },
      }) as Service,
    ]);
  return breakingChanges(withThing(make, body), withThing({ ...make, ...change }, asked));
}

test('an operation of clients may move to another service, and one between services may not', () => {
  const [own, other] = ['own', 'other'].map(
    (name) =>
      (operations: object): Service =>
        service({ name, summary: '', operations } as never),
  );
  const movedOf = (definition: object) => {
    const operations = { make: operation(definition as never) };
    return breakingChanges(
      shapesOf([own!(operations), other!({})]),
      shapesOf([own!({}), other!(operations)]),
    );
  };
  expect(movedOf(make)).toEqual([]);
  expect(movedOf({ ...make, access: 'service' })).toEqual(['The operation make is gone.']);
});

describe('what breaks', () => {
  test.each<[string, object, string[]]>([
    ['another path', { path: '/objects/:id' }, ['make was POST /things/: and is POST /objects/:.']],
    ['a narrower access', { access: 'admin' }, ['make was for member and is for admin.']],
    ['another status', { status: 200 }, ['make answers 200, which it did not.']],
    [
      'a smaller body',
      { bodyBytesMax: 10 },
      ['make takes bodies of 10 bytes, where it took 1048576.'],
    ],
    [
      'a field that is needed',
      { body: body.extend({ color: z.string() }) },
      ['.color is new in the body of make, and required.'],
    ],
    [
      'an optional field that is needed',
      { body: body.required() },
      ['.note in the body of make has become required.'],
    ],
    [
      'a field that is not taken',
      { body: body.omit({ note: true }) },
      ['.note is gone from the body of make.'],
    ],
    [
      'a word that is not taken',
      { body: body.extend({ size: z.enum(['large']) }) },
      ['.size in the body of make may no longer be "small".'],
    ],
    [
      'a field that is not answered',
      { reply: reply.omit({ id: true }) },
      ['.id is gone from the reply of make.'],
    ],
    [
      'a field that may be missing',
      { reply: reply.partial({ id: true }) },
      ['.id in the reply of make may now be missing.'],
    ],
    [
      'a field that may be null',
      { reply: reply.extend({ id: z.string().nullable() }) },
      ['.id in the reply of make may now be null.'],
    ],
    [
      'another type',
      { reply: reply.extend({ id: z.number() }) },
      ['.id in the reply of make may now be number.'],
    ],
  ])('%s', (_what, change, sentences) => expect(foundAfter(change)).toEqual(sentences));

  test('a question that needs more than it did', () => {
    expect(foundAfter({}, body.extend({ color: z.string() }))).toEqual([
      '.color is new in the question ask, and required.',
    ]);
  });

  test('what is gone', () => {
    const gone = { things: { operations: {}, questions: {}, events: {}, jobs: {} } };
    const old = shapesOf(contracts);
    expect(breakingChanges(old, { ...old, ...gone })).toEqual([]);
    const [catalog, ...others] = contracts;
    expect(breakingChanges(old, shapesOf(others as Service[]))).toEqual([
      `The service ${catalog!.name} is gone.`,
    ]);
    const operations = Object.fromEntries(Object.entries(old.catalog!.operations).slice(1));
    const [first] = Object.keys(old.catalog!.operations);
    expect(breakingChanges(old, { ...old, catalog: { ...old.catalog!, operations } })).toEqual([
      `The operation ${first} is gone.`,
    ]);
  });
});

test.each<[string, object]>([
  ['an optional field of a body', { body: body.extend({ color: z.string().optional() }) }],
  ['a field with a default', { body: body.extend({ color: z.string().default('red') }) }],
  ['a body that may leave out what was needed', { body: body.partial() }],
  ['a wider type of a body', { body: body.extend({ name: z.union([z.string(), z.number()]) }) }],
  ['a field of a reply', { reply: reply.extend({ color: z.string() }) }],
  ['a word in a reply', { reply: reply.extend({ size: z.enum(['small', 'large', 'huge']) }) }],
  ['a larger body', { bodyBytesMax: 10_000_000 }],
  ['another name of a path parameter', { path: '/things/:id' }],
])('%s breaks nothing', (_what, change) => expect(foundAfter(change)).toEqual([]));
