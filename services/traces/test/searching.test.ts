import { expect, test } from 'vitest';
import { exportOf, newSpanId, newTraceId, type SentSpan, useTraces } from './setting.ts';

const { otherProjectId, projectId, request, send } = useTraces();

const sendSpans = (spans: SentSpan[], of = projectId()) =>
  send(exportOf(spans, { 'assay.project_id': of }));

const search = (body: object, { query = '', of = projectId() } = {}) =>
  request('POST', `/projects/${of}/traces/search${query}`, body);

/** The traces that a search finds, in its order. */
async function found(text: string, query = ''): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const { status, body } = await search({ text, cursor }, { query });
    expect(status, JSON.stringify(body)).toBe(200);
    ids.push(...body.data.map(({ traceId }: { traceId: string }) => traceId));
    if (!body.hasMore) return ids;
    cursor = body.nextCursor;
  }
}

/** A word that no other test has. */
const newWord = (): string => `w${newTraceId()}`;

test('traces are found by what their spans say, newest first', async () => {
  const word = newWord();
  const [named, asked, failed, event, other] = Array.from({ length: 5 }, newTraceId);
  await sendSpans([
    { traceId: named!, name: `track ${word}`, start: 1 },
    { traceId: asked!, start: 2, attributes: { 'input.value': `Where is ${word.toUpperCase()}?` } },
    { traceId: failed!, start: 3, status: { code: 2, message: `no ${word}` } },
    { traceId: event!, start: 4, events: [{ name: 'exception', attributes: { said: word } }] },
    { traceId: other!, start: 5, attributes: { [word]: 'a name of an attribute is not searched' } },
  ]);
  expect(await found(word)).toEqual([event, failed, asked, named]);
  const { body } = await search({ text: word, limit: 1 });
  const { startedAt } = (await request('GET', `/traces/${event}`)).body;
  expect(body).toMatchObject({ hasMore: true, searched: 2, searchedTo: startedAt });
});

test('a text is found in plain text as it is, and in JSON as people read it', async () => {
  const word = newWord();
  const [plain, json, messages] = Array.from({ length: 3 }, newTraceId);
  await sendSpans([
    { traceId: plain!, start: 1, attributes: { path: `C:\\new\\${word}` } },
    { traceId: json!, start: 2, attributes: { 'input.value': `{"q":"caf\\u00e9 \\"${word}\\""}` } },
    { traceId: messages!, start: 3, attributes: { said: `one\nline of ${word}` } },
  ]);
  expect(await found(`C:\\new\\${word}`)).toEqual([plain]);
  expect(await found(`CAFÉ "${word}"`)).toEqual([json]);
  expect(await found(`one\nline of ${word}`)).toEqual([messages]);
  expect(await found(`${word}\ufffd`)).toEqual([]);
});

test('a search looks in the traces that pass its filters, and in those of its project', async () => {
  const word = newWord();
  const [first, second] = [newTraceId(), newTraceId()];
  await sendSpans([
    { traceId: first, start: 1, name: 'one', attributes: { word } },
    { traceId: second, start: 2, name: 'two', attributes: { word } },
  ]);
  await sendSpans([{ attributes: { word } }], otherProjectId());
  expect(await found(word)).toEqual([second, first]);
  expect(await found(word, '?name=one')).toEqual([first]);
  expect(await found(word, '?name=three')).toEqual([]);
  const { body } = await search({ text: word }, { query: '?name=three' });
  expect(body).toEqual({
    data: [],
    nextCursor: null,
    hasMore: false,
    searched: 0,
    searchedTo: null,
  });
});

test('a page ends at its limit, and its cursor goes on behind it, also among traces that began together', async () => {
  const word = newWord();
  const ids = Array.from({ length: 7 }, newTraceId);
  await sendSpans(ids.map((traceId) => ({ traceId, name: word, start: 1 })));
  const walked: string[] = [];
  let searched = 0;
  for (let cursor: string | null = null; ; ) {
    const { body } = await search({ text: word, limit: 2, cursor }, { query: `?name=${word}` });
    walked.push(...body.data.map(({ traceId }: { traceId: string }) => traceId));
    expect(body.searched).toBeGreaterThan(searched);
    searched = body.searched;
    if (!body.hasMore) break;
    cursor = body.nextCursor;
  }
  expect(walked.toSorted()).toEqual(ids.toSorted());
  expect(searched).toBe(7);
});

test('a text is found where it lies across two pieces of a large part, and in the last of many spans', async () => {
  const word = newWord();
  const [large, long] = [newTraceId(), newTraceId()];
  const before = 'x'.repeat(512 * 1024 - 300);
  await sendSpans([
    { traceId: large, attributes: { 'input.value': `${before}${word.repeat(30)}` } },
  ]);
  const steps = Array.from({ length: 2500 }, (_, start) => ({ traceId: long, start }));
  await sendSpans([...steps, { traceId: long, start: 3000, name: word }]);
  expect((await found(word)).toSorted()).toEqual([large, long].toSorted());
});

test('a search asks for a text and a project that is there', async () => {
  const { status, body } = await search({ text: '' });
  expect([status, body.details]).toMatchObject([400, { issues: [{ path: '/text' }] }]);
  expect((await search({ text: 'a' }, { of: newSpanId() })).status).toBe(404);
  expect((await search({ text: 'a', cursor: 'nonsense' })).status).toBe(400);
});
