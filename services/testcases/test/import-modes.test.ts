import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { start as startCatalog } from '@assay/catalog/service';
import { newId } from '@assay/runtime/ids';
import { poll } from '@assay/testing/poll';
import { profileCommands } from '@assay/testing/profiled-commands';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const ndjson = 'application/x-ndjson';
const pathOf = (testsetId: string, query: string) =>
  `/testsets/${testsetId}/testcases/import?${query}`;
const entry = (key: string, answer = 'b') => ({
  jsonData: { question: key, idealAnswer: answer },
  key,
});
const bodyOf = (entries: (object | string)[]) =>
  entries.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');

async function send(testsetId: string, query: string, entries: (object | string)[]) {
  const reply = await world.request('POST', pathOf(testsetId, query), undefined, {
    raw: bodyOf(entries),
    headers: { 'content-type': ndjson },
  });
  const lines = linesOf(reply.text);
  return {
    ...reply,
    lines: lines.slice(0, -1),
    last: lines.at(-1),
    summary: lines.at(-1)?.summary,
  };
}

/** The testcases of a testset in short: key and expected answer. */
async function contentOf(testsetId: string): Promise<string[]> {
  const { body } = await world.request('GET', `/testsets/${testsetId}/testcases?limit=100`);
  return body.data.map(
    ({ key = '-', jsonData }: { key?: string; jsonData: { idealAnswer?: string } }) =>
      `${key} ${jsonData.idealAnswer}`,
  );
}

/** Sends a body in pieces; the next one goes when `next` is called. */
async function open(testsetId: string, query: string, pieces: (object | string)[][]) {
  const waiting: (() => void)[] = [];
  async function* bytes() {
    for (const piece of pieces) {
      yield Buffer.from(`${bodyOf(piece)}\n`);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }
  const path = pathOf(testsetId, query);
  const sending = request(`${world.urls.testcases}${path}`, {
    method: 'POST',
    headers: { 'content-type': ndjson, ...world.sealed('POST', path) },
  });
  sending.on('error', () => sending.destroy());
  onTestFinished(() => void sending.destroy());
  Readable.from(bytes()).pipe(sending);
  const [response] = await once(sending, 'response');
  let text = '';
  const ended = (async () => {
    for await (const piece of response) text += piece;
  })().catch(() => undefined);
  return {
    next: async () => (await poll('the piece is sent', () => waiting.shift()))(),
    /** Waits for so many lines. */
    lines: (count: number) =>
      poll(`${count} lines`, async () => {
        const found = linesOf(text);
        return found.length >= count && found;
      }),
    rest: async () => {
      await ended;
      return linesOf(text);
    },
    cut: () => sending.destroy(),
  };
}

describe('an import by keys', () => {
  test('creates what is new, updates what differs, and leaves what is equal as JSON as it is', async () => {
    const testsetId = await createTestset(world);
    const first = await send(testsetId, 'mode=upsert', [
      entry('one'),
      entry('two'),
      entry('three'),
    ]);
    expect(first.lines[0]).toEqual({
      index: 0,
      status: 201,
      id: expect.any(String),
      outcome: 'created',
      key: 'one',
    });
    expect(first.summary).toMatchObject({ mode: 'upsert', created: 3, updated: 0, unchanged: 0 });
    const second = await send(testsetId, 'mode=upsert', [
      '{"key":"one","jsonData":{"idealAnswer":"\\u0062", "question":"one"}}',
      { jsonData: { question: 'two' }, key: 'two' },
      entry('four'),
    ]);
    expect(second.lines.map(({ status, outcome }) => [status, outcome])).toEqual([
      [200, 'unchanged'],
      [200, 'updated'],
      [201, 'created'],
    ]);
    expect(second.lines.slice(0, 2).map(({ id }) => id)).toEqual(
      first.lines.slice(0, 2).map(({ id }) => id),
    );
    expect(second.lines[1].validationErrors).toHaveLength(1);
    expect(second.summary).toEqual({
      mode: 'upsert',
      created: 1,
      updated: 1,
      unchanged: 1,
      deleted: 0,
      refused: 0,
      invalid: 1,
      skipped: 0,
      examples: {
        created: [{ index: 2, key: 'four' }],
        updated: [{ index: 1, key: 'two' }],
        deleted: [],
      },
    });
    expect(await contentOf(testsetId)).toEqual(['one b', 'two undefined', 'three b', 'four b']);
    const stored = await world.request('GET', `/testcases/${first.lines[0].id}`);
    expect(stored.text).toContain('"jsonData":{"question":"one","idealAnswer":"b"}');
  });

  test.each(['upsert', 'sync'])(
    'with mode=%s refuses entries without a key, and those whose key an entry before has',
    async (mode) => {
      const testsetId = await createTestset(world);
      const { jsonData } = entry('x');
      const { lines, summary } = await send(testsetId, `mode=${mode}`, [
        entry('one'),
        { jsonData },
        jsonData,
        entry('one', 'other'),
      ]);
      expect(lines.map(({ status }) => status)).toEqual([201, 400, 400, 409]);
      expect(lines[1].details.issues).toEqual([
        { path: '/key', message: `is required with mode=${mode}` },
      ]);
      expect(lines[3].details.issues).toEqual([
        { path: '/key', message: 'is the key of the entry 0, too' },
      ]);
      expect(summary).toMatchObject({ created: 1, updated: 0, refused: 3 });
      expect(await contentOf(testsetId)).toEqual(['one b']);
    },
  );

  test('that comes from ten clients at once makes each testcase once', async () => {
    const testsetId = await createTestset(world);
    const entries = Array.from({ length: 40 }, (_, index) => entry(`key ${index}`));
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => send(testsetId, 'mode=upsert', entries)),
    );
    const sum = (name: string) => replies.reduce((total, { summary }) => total + summary[name], 0);
    expect([sum('created'), sum('unchanged'), sum('refused')]).toEqual([40, 360, 0]);
    expect((await contentOf(testsetId)).sort()).toEqual(
      entries.map(({ key }) => `${key} b`).sort(),
    );
  });

  test('says with mode=create what it created, and which keys are taken', async () => {
    const testsetId = await createTestset(world);
    await send(testsetId, 'mode=create', [entry('one')]);
    const { lines, summary } = await send(testsetId, 'mode=create', [
      entry('one', 'new'),
      { question: 'no key' },
      entry('two'),
    ]);
    expect(lines.map(({ status }) => status)).toEqual([409, 201, 201]);
    expect(summary).toMatchObject({ created: 2, refused: 1 });
    expect(summary.examples.created).toEqual([{ index: 1 }, { index: 2, key: 'two' }]);
  });

  test('answers one line if only the summary is wanted, and a failure by its status', async () => {
    const testsetId = await createTestset(world);
    const query = 'mode=upsert&answers=summary';
    const reply = await send(testsetId, query, [entry('one'), '7', entry('two')]);
    expect([reply.lines, reply.summary.created, reply.summary.refused]).toEqual([[], 2, 1]);
    expect((await send(newId(), query, [entry('one')])).status).toBe(404);
    expect((await send(testsetId, 'mode=replace', [entry('one')])).status).toBe(400);
  });

  test.each(['create', 'upsert', 'sync'])(
    'says with mode=%s and dryRun=true what it would do, and stores nothing',
    async (mode) => {
      const testsetId = await createTestset(world);
      await send(testsetId, 'mode=upsert', [entry('one'), entry('two'), entry('gone')]);
      const entries = [entry('one'), entry('two', 'new'), entry('three'), entry('four')];
      const before = await contentOf(testsetId);
      const dry = await send(testsetId, `mode=${mode}&dryRun=true`, entries);
      expect(await contentOf(testsetId)).toEqual(before);
      const wet = await send(testsetId, `mode=${mode}`, entries);
      expect(dry.summary).toEqual(wet.summary);
      expect(dry.lines).toEqual(wet.lines.map(({ id: _id, ...line }) => line));
      if (mode === 'sync')
        expect(dry.summary).toMatchObject({
          created: 2,
          updated: 1,
          unchanged: 1,
          deleted: 1,
          examples: { deleted: [{ key: 'gone' }] },
        });
      const twice = [entry('new'), ...Array.from({ length: 600 }, (_, at) => entry(`n ${at}`))];
      const repeated = await send(testsetId, `mode=${mode}&dryRun=true`, [...twice, entry('new')]);
      expect(repeated.lines.at(-1)).toMatchObject({ index: 601, status: 409 });
    },
  );

  test('is another testset for another organization', async () => {
    const testsetId = await createTestset(world);
    await send(testsetId, 'mode=upsert', [entry('one')]);
    const identity = { organizationId: newId() };
    const reply = await world.request('POST', pathOf(testsetId, 'mode=sync'), undefined, {
      raw: bodyOf([entry('two')]),
      headers: { 'content-type': ndjson },
      identity,
    });
    expect(reply.status).toBe(404);
    expect(await contentOf(testsetId)).toEqual(['one b']);
  });
});

describe('a sync', () => {
  async function filled(): Promise<string> {
    const testsetId = await createTestset(world);
    await send(testsetId, 'mode=upsert', [entry('one'), entry('two')]);
    await send(testsetId, 'mode=create', [{ question: 'no key', idealAnswer: 'c' }]);
    return testsetId;
  }
  const all = ['one b', 'two b', '- c'];

  test('deletes what is not in the body, also what has no key, in one step after the last entry, and announces it', async () => {
    const testsetId = await filled();
    const heard: string[] = [];
    world.bus.subscribeInEveryProcess(
      `${world.config.SUBJECT_PREFIX}.event.testcases.testcasesDeleted`,
      (payload) => heard.push(...(payload as { testcaseIds: string[] }).testcaseIds),
    );
    const sync = await open(testsetId, 'mode=sync', [[entry('two')], [entry('three')]]);
    await sync.lines(1);
    await sync.next();
    await sync.lines(2);
    expect(await contentOf(testsetId)).toEqual([...all, 'three b']);
    await sync.next();
    const { summary } = (await sync.rest()).at(-1);
    expect(summary).toMatchObject({ created: 1, unchanged: 1, deleted: 2 });
    expect(await contentOf(testsetId)).toEqual(['two b', 'three b']);
    await poll('the announcement', () => heard.length > 0);
    expect(heard.sort()).toEqual(summary.examples.deleted.map(({ id }: { id: string }) => id));
  });

  test('writes no testcase if nothing has changed', async () => {
    const testsetId = await createTestset(world);
    const entries = Array.from({ length: 1200 }, (_, index) => entry(`key ${index}`));
    await send(testsetId, 'mode=sync', entries);
    const { MONGODB_URI, DATABASE_PREFIX } = world.config;
    const commands = await profileCommands(MONGODB_URI, DATABASE_PREFIX);
    const { summary } = await send(testsetId, 'mode=sync', entries);
    const writes = (await commands()).filter(
      ({ collection, command }) =>
        collection === 'testcases' && !('find' in command || 'getMore' in command),
    );
    expect(summary).toMatchObject({ created: 0, updated: 0, unchanged: 1200, deleted: 0 });
    expect(writes).toEqual([]);
  });

  test('deletes nothing if an entry is refused, and says so', async () => {
    const testsetId = await filled();
    const { summary } = await send(testsetId, 'mode=sync', [entry('three'), '{"key":']);
    expect(summary).toMatchObject({
      created: 1,
      deleted: 0,
      refused: 1,
      warning: 'Nothing is deleted, because 1 entry was refused.',
    });
    expect(await contentOf(testsetId)).toEqual([...all, 'three b']);
  });

  test('of a body without entries is refused', async () => {
    const testsetId = await filled();
    for (const body of ['', ' \n\n']) {
      const { status, body: failure } = await send(testsetId, 'mode=sync', [body]);
      expect([status, failure.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect(await contentOf(testsetId)).toEqual(all);
  });

  test('whose client goes away deletes nothing, and keeps nobody from syncing again', async () => {
    const testsetId = await filled();
    const sync = await open(testsetId, 'mode=sync', [[entry('three')], [entry('four')]]);
    await sync.lines(1);
    sync.cut();
    await sync.rest();
    expect(await contentOf(testsetId)).toEqual([...all, 'three b']);
    const again = await send(testsetId, 'mode=sync', [entry('three'), entry('four')]);
    expect(again.summary).toMatchObject({ created: 1, unchanged: 1, deleted: 3 });
    expect(await contentOf(testsetId)).toEqual(['three b', 'four b']);
  });

  test.each([
    ['writes', [entry('late')]],
    ['deletes', []],
  ])('that another overtakes ends with a conflict before it %s', async (_what, rest) => {
    const testsetId = await filled();
    const first = await open(testsetId, 'mode=sync', [[entry('one'), entry('two')], rest]);
    await first.lines(2);
    const second = await send(testsetId, 'mode=sync', [entry('two'), entry('three')]);
    expect(second.summary).toMatchObject({ created: 1, unchanged: 1, deleted: 2 });
    await first.next();
    await first.next();
    expect((await first.rest()).at(-1)).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(await contentOf(testsetId)).toEqual(['two b', 'three b']);
  });

  test('that comes eight times at once with other bodies leaves the testset as one of them', async () => {
    const testsetId = await filled();
    const bodies = Array.from({ length: 8 }, (_, at) => [entry(`${at}`), entry(`${at + 1}`)]);
    const replies = await Promise.all(bodies.map((body) => send(testsetId, 'mode=sync', body)));
    const whole = replies.flatMap(({ summary }, at) => (summary ? [at] : []));
    expect(whole.length).toBeGreaterThan(0);
    const left = (await contentOf(testsetId)).sort();
    expect(bodies.map((body) => body.map(({ key }) => `${key} b`).sort())).toContainEqual(left);
  });
});
