import { isObject } from '@assay/json/value';
import fc from 'fast-check';
import type { ApiDocument, DocumentedOperation, JsonSchema } from './api-document.ts';
import type { GeneratedRequest } from './generated-request.ts';
import { wrongJson } from './hostile-values.ts';

/** A body that the document takes: a value where it is JSON, else the text. */
export interface JsonBody {
  type: string;
  schema: JsonSchema;
  value: unknown;
}

type Change = (request: GeneratedRequest) => Partial<GeneratedRequest>;

/**
 * Ways to break the body of a request in one place. Where the document takes the outcome all the
 * same, it is no fault.
 */
export function brokenBodies(
  document: ApiDocument,
  operation: DocumentedOperation,
  body: JsonBody | undefined,
): fc.Arbitrary<Change> {
  if (operation.method === 'GET') return fc.constantFrom(...strangeHeaders);
  if (!body) return fc.constantFrom(...strangeHeaders, ...unaskedBodies);
  const { required, content } = operation.requestBody!;
  const takesAll = '*/*' in content;
  // Of what is streamed, each entry is answered for itself.
  const isStream = typeof body.value === 'string' || Array.isArray(body.value);
  const whole = [
    ...strangeHeaders,
    ...wrongCodings,
    ...(takesAll ? [] : wrongTypes),
    ...brokenTexts({ isStream, required }),
  ];
  if (isStream) return fc.constantFrom(...whole);

  const changed = (text: string, place: string): Change => {
    const value = JSON.parse(text);
    // One that is nested too deep is refused as a whole.
    const fault = document.isValid(body.schema, value)
      ? undefined
      : { place: isDeep(text) ? undefined : place };
    return () => ({ body: text, fault });
  };
  const places = placesIn(body.value);
  const inPlace = fc
    .tuple(fc.constantFrom(...places), wrongJson)
    .map(([place, json]) => changed(replaced(body.value, place, json), pointer(place)));
  const members = places.filter((place) => place.length > 0 && typeof place.at(-1) === 'string');
  const missing = members.map((place) =>
    changed(JSON.stringify(removed(body.value, place)), pointer(place)),
  );
  const objects = places.filter((place) => isObject(valueAt(body.value, place)));
  const more = fc
    .tuple(
      fc.constantFrom(...(objects.length > 0 ? objects : [[]])),
      fc.constantFrom(
        '"extra":1',
        '"__proto__":{"isAdmin":true}',
        '"constructor":null',
        '"":{}',
        '"$set":1',
        '"a.b":1',
      ),
    )
    .map(([place, member]) =>
      changed(
        replaced(body.value, place, extended(valueAt(body.value, place), member)),
        pointer(place),
      ),
    );
  const twice = members.map((place) => {
    const holder = place.slice(0, -1);
    const member = `${JSON.stringify(place.at(-1))}:${JSON.stringify(valueAt(body.value, place))}`;
    return changed(
      replaced(body.value, holder, extended(valueAt(body.value, holder), member)),
      pointer(place),
    );
  });

  return fc.oneof(
    { weight: 6, arbitrary: inPlace },
    ...(objects.length > 0 ? [{ weight: 1, arbitrary: more }] : []),
    ...(members.length > 0
      ? [{ weight: 3, arbitrary: fc.constantFrom(...missing, ...twice) }]
      : []),
    { weight: 2, arbitrary: fc.constantFrom(...whole) },
  );
}

type Place = (string | number)[];

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...inner.flatMap(([key, each]) => placesIn(each, [...at, key]))];
}

const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);

const pointer = (place: Place): string =>
  place.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The value with another one, or none, at a place. */
function changedAt(
  value: unknown,
  [key, ...rest]: Place,
  change: (inner: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((each, index) => (index === key ? changedAt(each, rest, change) : each));
  const members = Object.entries(value as object).map(([name, each]): [string, unknown] => [
    name,
    name === key ? changedAt(each, rest, change) : each,
  ]);
  return Object.fromEntries(members);
}

/** The text of the value with JSON text at a place, which may be more than a value can be. */
function replaced(value: unknown, place: Place, json: string): string {
  const mark = '\u0001mark\u0001';
  return JSON.stringify(changedAt(value, place, () => mark)).replace(
    JSON.stringify(mark),
    () => json,
  );
}

const removed = (value: unknown, place: Place): unknown => changedAt(value, place, () => undefined);

function extended(value: unknown, member: string): string {
  const text = JSON.stringify(value);
  return text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}

const isDeep = (text: string): boolean => /(\[|\{"a":){500}/.test(text);

/** The fault is the whole body's: no place of it is told. */
const nowhere = { place: undefined };

function brokenTexts({ isStream, required }: { isStream: boolean; required: boolean }): Change[] {
  const fault = isStream ? undefined : nowhere;
  return [
    ({ body }) => ({ body: String(body).slice(0, -1), fault }),
    ({ body }) => ({ body: `${body}]`, fault }),
    ({ body }) => ({ body: `\ufeff${body}` }),
    () => ({ body: '', fault: required ? fault : undefined }),
    () => ({ body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), fault }),
  ];
}

const wrongCodings: Change[] = ['gzip', 'br', 'gzip, gzip'].map((coding) => ({ headers }) => ({
  body: 'none of these',
  headers: { ...headers, 'content-encoding': coding },
  fault: nowhere,
}));

const wrongTypes: Change[] = [
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'x',
  '*/*',
  'application/json5',
].map((type) => ({ headers }) => ({
  headers: { ...headers, 'content-type': type },
  fault: nowhere,
}));

/** Bodies where none is asked for. */
const unaskedBodies: Change[] = [
  ({ headers }) => ({
    body: 'no gzip',
    headers: { ...headers, 'content-encoding': 'gzip', 'content-type': 'application/json' },
  }),
  ({ headers }) => ({
    body: 'x'.repeat(2_000_000),
    headers: { ...headers, 'content-type': 'application/json' },
  }),
  ({ headers }) => ({
    body: '{"a":1}',
    headers: { ...headers, 'content-type': 'application/json' },
  }),
  ({ headers }) => ({ body: '{', headers: { ...headers, 'content-type': 'application/json' } }),
  ({ headers }) => ({ body: 'a=1', headers: { ...headers, 'content-type': 'text/plain' } }),
  ({ headers }) => ({
    body: 'x'.repeat(300_000),
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  }),
];

const strangeHeaders: Change[] = [
  ({ headers }) => ({
    headers: {
      ...headers,
      ...(headers['content-type']
        ? { 'content-type': `${headers['content-type']}; charset=utf-16` }
        : {}),
    },
  }),
  ({ headers }) => ({
    headers: {
      ...headers,
      accept: 'image/png',
      'accept-language': '*',
      'accept-encoding': 'nothing',
    },
  }),
  ({ headers }) => ({ headers: { ...headers, range: 'bytes=9-1,x' } }),
  ({ headers }) => ({ headers: { ...headers, 'last-event-id': '-1e400\u00ff' } }),
  ({ headers }) => ({ headers: { ...headers, 'x-request-id': 'x'.repeat(2000) } }),
  ({ headers }) => ({ headers: { ...headers, 'if-none-match': '*', 'if-match': '"x"' } }),
  ({ headers }) => ({
    headers: {
      ...headers,
      cookie: 'a=b',
      'x-forwarded-for': '10.0.0.1',
      'x-http-method-override': 'DELETE',
    },
  }),
];
