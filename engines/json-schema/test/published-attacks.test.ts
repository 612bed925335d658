import { afterAll, describe, expect, test } from 'vitest';
import { createSchemaChecker } from '../schema.ts';

const checker = createSchemaChecker({ timeoutMs: 60_000, workers: 2 });
afterAll(() => checker.close());

const check = (schema: unknown) =>
  checker.check(typeof schema === 'string' ? schema : JSON.stringify(schema));
async function problemsOf(schema: unknown, document: unknown): Promise<string[]> {
  const schemaText = JSON.stringify(schema);
  const documents = [typeof document === 'string' ? document : JSON.stringify(document)];
  const [found] = await checker.validate({ schemaText, schemaHash: schemaText, documents });
  return found!.map(({ message }) => message);
}

/**
 * Server-side request forgery and reading of files by references (OWASP API7:2023; the JSON Schema
 * core specification, section on security).
 */
test.each([
  'http://169.254.169.254/latest/meta-data/',
  'https://evil.example/schema.json',
  '//evil.example/schema.json',
  'file:///etc/passwd',
  'ftp://evil.example/x',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'data:application/json,{}',
  'jar:http://evil.example/x!/y',
  'ldap://127.0.0.1/x',
  'node:fs',
  '/etc/passwd',
  '../../../etc/passwd',
  'C:\\windows\\win.ini',
])('a reference to %s reads nothing, by any keyword and with any base', async ($ref) => {
  const kinds = [
    { $ref },
    { $dynamicRef: $ref },
    { $id: $ref, $ref: 'other.json' },
    { $id: 'http://127.0.0.1/', properties: { a: { $id: 'sub/', $ref } } },
    { $defs: { a: { allOf: [{ $ref }] } }, $ref: '#/$defs/a' },
  ];
  for (const schema of kinds) expect(await check(schema)).not.toEqual([]);
});

test.each([
  'http://evil.example/dialect',
  'file:///etc/passwd',
  'http://json-schema.org/draft-07/../../x',
])('a dialect at %s is not fetched', async ($schema) => {
  expect(await check({ $schema })).not.toEqual([]);
});

/**
 * Patterns that a backtracking engine never ends with: OWASP ReDoS, CVE-2016-4055, CVE-2017-16137,
 * CVE-2021-3807, CVE-2022-25883, CVE-2025-69873.
 */
describe('a pattern of a published denial of service is linear, or refused', () => {
  test.each([
    ['^(a+)+$', 'a'],
    ['^([a-zA-Z]+)*$', 'a'],
    ['^(a|aa)+$', 'a'],
    ['^(a|a?)+$', 'a'],
    ['^(.*a){20}$', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['^((a+)*)*$', 'a'],
    ['(x+x+)+y', 'x'],
    ['\\s+$', ' '],
    ['^\\s*(?:[\\w-]+\\s*)*$', 'a'],
    ['^([\\w.-]+)*@', 'a'],
    ['^(?:(?:\\d{1,3}\\.?)+)+$', '1'],
  ])('%s', async (pattern, letter) => {
    const document = `${letter.repeat(100_000)}!\n`;
    const schemas = [
      { pattern },
      { patternProperties: { [pattern]: false } },
      { propertyNames: { pattern } },
    ];
    for (const schema of schemas) {
      expect(await check(schema)).toEqual([]);
      await problemsOf(schema, 'pattern' in schema ? document : { [document]: 1 });
    }
  });

  test.each(['(?=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '(?>a)', 'a++', '[[:evil:]]'])(
    'what such an engine alone can do is a problem of the schema: %s',
    async (pattern) => {
      expect(await check({ pattern })).not.toEqual([]);
    },
  );

  test('a pattern that the document would bring ($data) is none', async () => {
    const schema = { properties: { a: { pattern: { $data: '/b' } }, b: {} } };
    expect(await check(schema)).not.toEqual([]);
  });

  test.each([
    ['email', `${'a'.repeat(50_000)}@`],
    ['email', `a@${'a.'.repeat(50_000)}`],
    ['idn-email', `"${'\\"'.repeat(50_000)}`],
    ['uri', `http://${'a:'.repeat(50_000)}`],
    ['uri-reference', `${'%20'.repeat(50_000)}%`],
    ['uri-template', `{${'a,'.repeat(50_000)}`],
    ['url', `http://${'1.'.repeat(50_000)}`],
    ['hostname', `${'a-'.repeat(50_000)}.`],
    ['ipv6', `${'0:'.repeat(50_000)}`],
    ['regex', `${'('.repeat(50_000)}`],
    ['date-time', `2020-01-01T00:00:00.${'0'.repeat(50_000)}`],
    ['duration', `P${'1D'.repeat(50_000)}`],
    ['json-pointer', `${'/~0'.repeat(50_000)}~`],
    ['iri', `http://${'é'.repeat(50_000)}`],
  ])('the format %s of a long text', async (format, text) => {
    await problemsOf({ format }, text);
    expect(await problemsOf({ type: 'null' }, null)).toEqual([]);
  });
});

/** Prototype pollution and generated code: CVE-2020-15366 (ajv), CVE-2021-3918 (json-schema). */
describe('a schema becomes no code, and reaches no prototype', () => {
  test.each([
    '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    '{"$defs":{"__proto__":{"polluted":true}},"properties":{"a":{"$ref":"#/$defs/__proto__"}}}',
    '{"type":"object","properties":{"__proto__":{"default":{"polluted":true}}}}',
    '{"properties":{"constructor":{"properties":{"prototype":{"default":{"polluted":true}}}}}}',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '{"$id":"__proto__","$anchor":"constructor"}',
    '{"dependentSchemas":{"__proto__":{"required":["polluted"]}}}',
    '{"patternProperties":{"__proto__":{"default":{"polluted":true}}}}',
  ])('%s', async (schemaText) => {
    await check(schemaText);
    await checker.validate({
      schemaText,
      schemaHash: schemaText,
      documents: ['{"__proto__":{"polluted":true},"a":{"__proto__":1}}', '{}'],
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await problemsOf({ required: ['polluted'] }, {})).not.toEqual([]);
  });

  test.each([
    'a"];process.exit(1);//',
    "a'];throw new Error();//",
    'a`+process.exit(1)+`',
    'a\\u0022];process.exit(1)//',
    'a\u2028process.exit(1)//',
    '*/process.exit(1)/*',
    'a\nprocess.exit(1)\n',
    'constructor.constructor("process.exit(1)")()',
  ])('a name that would end a text of generated code: %j', async (name) => {
    const schema = {
      $id: `urn:x:${encodeURIComponent(name)}`,
      title: name,
      $comment: name,
      required: [name],
      properties: { [name]: { const: name, enum: [name], default: name } },
      patternProperties: { [name.replaceAll(/\W/g, '.')]: {} },
      dependentRequired: { [name]: [name] },
      $defs: { [name]: { $ref: '#' } },
      [name]: name,
    };
    expect(await check(schema)).toEqual([]);
    expect(await problemsOf(schema, { [name]: name })).toEqual([]);
    expect(await problemsOf(schema, { [name]: 1 })).not.toEqual([]);
  });

  test.each([
    ['maxLength', '1);process.exit(1);('],
    ['multipleOf', '1;process.exit(1)'],
    ['minimum', { valueOf: 1 }],
    ['minItems', '0||process.exit(1)'],
  ])('a value in the place of a number: %s', async (keyword, value) => {
    expect(await check({ [keyword]: value })).not.toEqual([]);
  });
});
