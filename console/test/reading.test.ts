import { expect, test } from 'vitest';
import { tokensOf as markdownOf } from '../src/parts/markdown.tsx';
import { answersOf, shownEntries } from '../src/parts/payload/answers.ts';
import { type Entry, entriesOf, entryOf, type Place } from '../src/parts/payload/entries.ts';
import { memberAt, rootOf, scanMembers, textOf } from '../src/parts/payload/scan.ts';
import { argumentsInShort } from '../src/text/call-text.ts';
import { looksLikeMarkdown } from '../src/text/looks-like-markdown.ts';
import { bytesOfBase64, pictureOf } from '../src/text/pictures.ts';
import { isReadableJson, readableJson } from '../src/text/readable-json.ts';

test.each([
  '# Title\n\nSome text',
  'Before\n\n## Steps\nfirst',
  'The answer is **42**.',
  '- one\n- two',
  '* one\n\n* two',
  '1. one\n2. two',
  'See [the docs](https://example.org/a).',
  '| a | b |\n|---|:-:|\n| 1 | 2 |',
  'Run this:\n```sh\nls\n```',
])('%j looks like Markdown', (text) => {
  expect(looksLikeMarkdown(text)).toBe(true);
});

test.each([
  '',
  'Oslo',
  '2 * 3 * 4 = 24',
  'f(**first, **second)',
  '2**3**4',
  '# a comment\nimport os\n',
  '- a single dash',
  'a - b - c',
  '#hashtag #another',
  'list[0](x) and [a](b)',
  '{"a": [1, 2]}',
  'snake_case_name and __init__',
  '---\nkey: value\n---',
])('%j does not look like Markdown', (text) => {
  expect(looksLikeMarkdown(text)).toBe(false);
});

test('Markdown that the lexer cannot read in a moment is left as text', () => {
  expect(markdownOf('_a_'.repeat(20_000))).toBeUndefined();
  expect(markdownOf('> '.repeat(30_000))).toBeUndefined();
  expect(markdownOf('- '.repeat(300))).toBeUndefined();
  expect(markdownOf('x'.repeat(70_000))).toBeUndefined();
  expect(markdownOf('**bold** and\n\n> a quote')).toHaveLength(3);
});

test('the signs of Markdown are looked for in a moment, however hostile the text is', () => {
  const started = performance.now();
  for (const part of ['[', '**a', '- ', '# ', '|-', '1. a\n', '[a](', '\n', ' '])
    looksLikeMarkdown(part.repeat(65_536 / part.length));
  expect(performance.now() - started).toBeLessThan(2000);
});

test('a data address of a format that runs nothing is a picture; all else is a text', () => {
  expect(pictureOf('data:image/png;base64,iVBORw0KGgo=')).toEqual({
    type: 'image/png',
    base64: 'iVBORw0KGgo=',
  });
  for (const text of [
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html;base64,PHN2Zz4=',
    'data:image/png,abc',
    'data:image/png;base64,<script>',
    'https://example.org/a.png',
    ` data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`,
    `data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`,
  ])
    expect(pictureOf(text)).toBeUndefined();
  expect(bytesOfBase64('iVBO')).toEqual(new Uint8Array([0x89, 0x50, 0x4e]));
  expect(bytesOfBase64('A')).toBeUndefined();
});

test('JSON to read has lists of numbers on one line, and keeps digits that would be lost', () => {
  expect(readableJson('{"at":[1,-2.5,30],"of":["a"]}')).toBe(
    '{\n  "at": [1, -2.5, 30],\n  "of": [\n    "a"\n  ]\n}',
  );
  expect(readableJson('{"n":12345678901234567890.10,"one":1.0}')).toBe(
    '{\n  "n": 12345678901234567890.10,\n  "one": 1.0\n}',
  );
  expect(readableJson('["[\\n 1,\\n 2\\n]",[1,2]]')).toBe('[\n  "[\\n 1,\\n 2\\n]",\n  [1, 2]\n]');
});

test('a text is opened as JSON where it is an object or a list that people can read', () => {
  expect(isReadableJson(' {"a": 1} ')).toBe(true);
  expect(isReadableJson('[1]')).toBe(true);
  for (const text of ['1', '"a"', '{a: 1}', '{} {}', `${'['.repeat(500)}${']'.repeat(500)}`])
    expect(isReadableJson(text), text).toBe(false);
});

test.each([
  [{ city: '東京', days: 3 }, 'city="東京", days=3'],
  ['{"city":"東京"}', 'city="東京"'],
  ['{"id":12345678901234567890.10}', 'id=12345678901234567890.10'],
  ['', ''],
  ['city: Oslo', '"city: Oslo"'],
  [[1, 2], '[1,2]'],
])('the arguments %j of a call are read as %s', (given, text) => {
  expect(argumentsInShort(given)).toEqual({ text, isWhole: true });
});

test('long arguments are cut in the line of their call', () => {
  expect(argumentsInShort({ text: 'a'.repeat(500) })).toMatchObject({ isWhole: false });
});

/** The entries of a JSON list, with their texts. */
function read(value: unknown) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const node = rootOf(bytes);
  const offsets = scanMembers(bytes, node);
  const places = [...offsets.keys()].map((index) => ({
    node: memberAt(bytes, node, offsets, index).value,
    pointer: `/messages/${index}`,
  }));
  const entries = entriesOf(bytes, places);
  const textAt = (place: Place | undefined) => place && JSON.parse(textOf(bytes, place.node));
  return { entries, textAt };
}

const kinds = (entries: Entry[] | undefined) => entries?.map(({ kind }) => kind);

test('parts of a message are texts, pictures, calls and results, each at its pointer', () => {
  const { entries, textAt } = read([
    { type: 'text', text: 'one', cache_control: { type: 'ephemeral' } },
    { type: 'input_text', text: 'two' },
    { type: 'thinking', thinking: 'three', signature: 'x' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'low' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: '東京' } },
    { type: 'tool_result', tool_use_id: 'a', content: 'sunny' },
    { type: 'function_call', call_id: 'b', name: 'add', arguments: '{"a":1}' },
    { type: 'input_audio', input_audio: { data: 'AAAA' } },
  ]);
  expect(kinds(entries)).toEqual([
    ...['text', 'text', 'text', 'picture', 'picture', 'picture'],
    ...['call', 'result', 'call', 'other'],
  ]);
  const [first, , thinking, address, , base64, call] = entries!;
  expect(first).toMatchObject({ text: { pointer: '/messages/0/text' }, name: undefined });
  expect(first!.rest.map(({ name }) => name)).toEqual(['cache_control']);
  expect(thinking).toMatchObject({ name: 'thinking' });
  expect(address!.kind === 'picture' && textAt(address!.source)).toMatch(/^data:/);
  expect(base64).toMatchObject({
    type: 'image/png',
    source: { pointer: '/messages/5/source/data' },
  });
  expect(call).toMatchObject({ name: 'get_weather', id: 'a' });
  expect(call!.kind === 'call' && textAt(call!.given)).toEqual({ city: '東京' });
});

test('a list of anything else is no conversation', () => {
  for (const list of [
    [{ type: 'cat', name: 'Tom' }],
    [{ name: 'Tom', input: 'x' }],
    [{ name: 'Tom', args: [], age: 3 }],
    [{ role: 'user', content: 'a' }, 1],
    [1, 2],
    [],
  ])
    expect(read(list).entries).toBeUndefined();
});

test('a result stands under its call, be it a message, a part or an item; another stays in its place', () => {
  for (const [list, shown] of [
    [
      [
        { role: 'assistant', content: null, tool_calls: [toolCall('a'), toolCall('b')] },
        { role: 'tool', tool_call_id: 'b', content: 'of b' },
        { role: 'tool', tool_call_id: 'a', content: 'of a' },
        { role: 'tool', tool_call_id: 'x', content: 'of none' },
      ],
      ['message', 'message'],
    ],
    [
      [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'of a' }] },
      ],
      ['message'],
    ],
    [
      [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'of a' },
        { type: 'function_call_output', call_id: 'a', output: 'again' },
      ],
      ['call', 'result'],
    ],
  ] as const) {
    const { entries, textAt } = read(list);
    const answers = answersOf(entries!);
    for (const [call, answer] of answers) expect(textAt(answer.content)).toBe(`of ${call.id}`);
    expect(answers.size).toBeGreaterThan(0);
    expect(kinds(shownEntries(entries!, new Set(answers.values())))).toEqual(shown);
  }
});

function toolCall(id: string) {
  return { id, type: 'function', function: { name: 'f', arguments: '{}' } };
}

test('a message keeps the fields that have no form, and leaves out those that say nothing', () => {
  const bytes = new TextEncoder().encode(
    JSON.stringify({
      role: 'assistant',
      content: 'hi',
      refusal: null,
      annotations: [],
      name: 'Bo',
    }),
  );
  const entry = entryOf(bytes, { node: rootOf(bytes), pointer: '' });
  expect(entry?.rest.map(({ name }) => name)).toEqual(['name']);
});
