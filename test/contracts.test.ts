import { contracts } from '@assay/contracts/all';
import { payloadPlan } from '@assay/contracts/body-shape';
import {
  bodyBytesDefault,
  type List,
  type Operation,
  queryOf,
  type Service,
} from '@assay/contracts/define';
import { statusOfFailure } from '@assay/contracts/failure';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { parseBody } from '@assay/runtime/http/body';
import { describe, expect, test } from 'vitest';

const operations = contracts.flatMap((service) =>
  Object.entries(service.operations).map(([name, definition]) => ({
    name,
    service,
    definition: definition as Operation | List,
  })),
);
const titled = (wanted: typeof operations) =>
  wanted.map(({ name, definition }) => [name, definition] as const);
const routed = operations.filter(({ definition }) => definition.access !== 'service');
const withBody = routed.filter(({ definition }) => definition.body);
const lists = operations.filter(({ definition }) => 'item' in definition);
/** What the services say on the bus, of one kind. */
const messages = <Kind extends 'questions' | 'events' | 'jobs'>(kind: Kind) =>
  contracts.flatMap((service) =>
    Object.entries(service[kind]).map(([name, definition]) => ({
      service,
      name,
      definition: definition as Service[Kind][string],
    })),
  );

/** The value as a handler gets it: payloads as the text that stands in the body. */
const received = (schema: NonNullable<Operation['body']>, value: unknown) =>
  parseBody(Buffer.from(JSON.stringify(value)), payloadPlan(schema));

const parametersOf = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** What is more than one. */
const repeated = (values: string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

test('names, paths and subjects are each given once', () => {
  expect(repeated(operations.map(({ name }) => name))).toEqual([]);
  expect(
    repeated(
      operations.map(
        ({ definition }) => `${definition.method} ${definition.path.replaceAll(/:\w+/g, ':')}`,
      ),
    ),
  ).toEqual([]);
  expect(repeated(contracts.map(({ name }) => name))).toEqual([]);
  const subjects = (['questions', 'events', 'jobs'] as const).flatMap((kind) =>
    messages(kind).map(({ service, name }) =>
      subjectOf('assay', kind.slice(0, -1) as 'question' | 'event' | 'job', service.name, name),
    ),
  );
  expect(repeated(subjects)).toEqual([]);
  for (const subject of subjects)
    expect(subject).toMatch(/^assay\.(question|event|job)\.[a-z-]+\.[a-zA-Z]+$/);
});

test('everything says in a sentence what it is', () => {
  const all: { name: string; summary: string }[] = [
    ...contracts,
    ...operations.map(({ name, definition }) => ({ name, summary: definition.summary })),
    ...(['questions', 'events', 'jobs'] as const).flatMap((kind) =>
      messages(kind).map(({ name, definition }) => ({ name, summary: definition.summary })),
    ),
  ];
  expect(
    all
      .filter(({ summary }) => !/^[A-Z“"].{7,}[^.]$/.test(summary))
      .map(({ name, summary }) => `${name}: ${summary}`),
  ).toEqual([]);
});

describe.each(titled(operations))('%s', (name, definition) => {
  test('has a path of words and known parameters, and no body where there is none by its method', () => {
    // Another protocol names its version in the path.
    const path = definition.base ? definition.path.replace(/^\/v1/, '') : definition.path;
    expect(path).toMatch(/^(\/([a-z-]+|:[a-zA-Z]+))+$/);
    expect(repeated(parametersOf(definition.path))).toEqual([]);
    expect(
      Object.keys(definition.params ?? {}).filter(
        (parameter) => !parametersOf(definition.path).includes(parameter),
      ),
    ).toEqual([]);
    // Without a schema of its own a parameter is one of our ids: anything else must say what it may
    // be.
    const free = parametersOf(definition.path).filter(
      (parameter) => !(parameter in (definition.params ?? {})),
    );
    expect(free.filter((parameter) => !parameter.endsWith('Id'))).toEqual([]);
    if (definition.method === 'GET' || definition.method === 'DELETE')
      expect([definition.body, definition.streams]).toEqual([undefined, undefined]);
    expect(definition.body && definition.streams, `${name} has two kinds of body`).toBeUndefined();
  });

  test('answers in one way, or says why it has none', () => {
    const { reply, replyStreams, sessionCookie, bytes } = definition;
    const kinds = [reply, replyStreams, sessionCookie, bytes].filter(Boolean);
    expect(kinds).toHaveLength(definition.failures?.includes('GONE') ? 0 : 1);
  });

  test('gives only failures that there are', () => {
    for (const code of definition.failures ?? [])
      expect(Object.keys(statusOfFailure)).toContain(code);
    expect(repeated([...(definition.failures ?? [])])).toEqual([]);
  });

  test('creates with 201 by POST, and starts what goes on later with 202', () => {
    expect(definition.status === 204).toBe(definition.sessionCookie === true);
    if (definition.status === 201 || definition.status === 202)
      expect(definition.method).toBe('POST');
    if (definition.statusWhenThere) expect(definition.status).toBe(201);
    const claimsKey =
      definition.commitsIdempotencyKey || definition.takesLong || definition.shownOnce;
    if (claimsKey) expect(definition.method).toBe('POST');
    expect(definition.commitsIdempotencyKey && definition.takesLong).toBeFalsy();
  });
});

describe.each(titled(withBody))('%s', (_name, definition) => {
  test('has an example of its body that its own schema takes', () => {
    expect(definition.example?.body).toBeDefined();
    const parsed = definition.body!.safeParse(received(definition.body!, definition.example!.body));
    expect(parsed.error?.issues ?? []).toEqual([]);
  });

  test('takes a body of up to 15 MiB at most', () => {
    expect(definition.bodyBytesMax ?? bodyBytesDefault).toBeGreaterThan(0);
    expect(definition.bodyBytesMax ?? bodyBytesDefault).toBeLessThanOrEqual(15 * 1024 * 1024);
  });

  test('refuses a body that is of another kind', () => {
    for (const other of [[], 'text', 1, true, null]) {
      const parsed = definition.body!.safeParse(received(definition.body!, other));
      expect(parsed.success, JSON.stringify(other)).toBe(false);
    }
  });
});

describe.each(titled(routed.filter(({ definition }) => definition.example?.reply !== undefined)))(
  '%s',
  (_name, definition) => {
    test('has an example of its reply that its own schema takes', () => {
      const parsed = definition.reply!.safeParse(
        received(definition.reply!, definition.example!.reply),
      );
      expect(parsed.error?.issues ?? []).toEqual([]);
    });
  },
);

describe.each(titled(lists))('%s', (_name, definition) => {
  const parse = (query: Record<string, string>) =>
    queryOf(definition)!.safeParse({ ...definition.example?.query, ...query });

  test('is read in pages of 1 to 100, 20 when nothing is said, by cursor', () => {
    expect(definition).toMatchObject({ method: 'GET', status: 200 });
    expect(parse({}).data).toMatchObject({ limit: 20 });
    for (const limit of ['1', '100'])
      expect(parse({ limit }).data).toMatchObject({ limit: Number(limit) });
    for (const limit of ['0', '101', '-1', '1.5', '1e1', 'ten', ''])
      expect(parse({ limit }).success, limit).toBe(false);
    expect(parse({ cursor: 'x' }).data).toMatchObject({ cursor: 'x' });
  });

  test('answers data, nextCursor and hasMore', () => {
    const reply = definition.reply!;
    expect(reply.safeParse({ data: [], nextCursor: null, hasMore: false }).success).toBe(true);
    expect(reply.safeParse({ data: [], hasMore: false }).success).toBe(false);
  });
});

test('every GET that answers a page is a list, and nothing else names its query a page', () => {
  const others = operations.filter(({ definition }) => !('item' in definition));
  const paged = others.filter(
    ({ definition }) =>
      definition.query && ('limit' in definition.query.shape || 'cursor' in definition.query.shape),
  );
  expect(paged.map(({ name }) => name)).toEqual([]);
});

test('jobs have attempts and time, and questions do not wait for ever', () => {
  for (const { name, definition } of messages('jobs')) {
    expect(definition.attempts, name).toBeGreaterThan(1);
    expect(definition.finishMs, name).toBeGreaterThanOrEqual(1000);
  }
  for (const { name, definition } of messages('questions'))
    expect(definition.timeoutMs ?? 3000, name).toBeLessThanOrEqual(120_000);
});

test('what is for other services is under /internal, and nothing else is', () => {
  const internal = operations
    .filter(({ definition }) => definition.path.startsWith('/internal/'))
    .map(({ name }) => name);
  expect(internal).toEqual(
    operations.filter(({ definition }) => definition.access === 'service').map(({ name }) => name),
  );
});
