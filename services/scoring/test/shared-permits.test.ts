import { openDatabase } from '@assay/runtime/mongo/database';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelPermitStore } from '../src/store/model-permits.ts';
import { question, startJudges, verdict } from './judges-setting.ts';
import { say } from './mock-providers.ts';

const config = testConfig();
const environment = { JUDGE_CONCURRENCY: '3' };
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config.MONGODB_URI,
    name: `${config.DATABASE_PREFIX}_scoring`,
  });
});
afterAll(async () => {
  await database.close();
  await dropData(config);
});

/** The judges of a process that shares the database with others. */
const startProcess = (answer: Parameters<typeof startJudges>[0]['answer']) =>
  startJudges({ answer, environment, permits: createModelPermitStore(database) });

test('processes share the calls to a model that may be under way, and every ask is answered', async () => {
  let [underWay, most] = [0, 0];
  const answer = async () => {
    underWay++;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay--;
    return say(verdict);
  };
  const processes = await Promise.all([0, 1, 2].map(() => startProcess(answer)));
  const asked = await Promise.all(
    processes.flatMap(({ judges }) =>
      Array.from({ length: 8 }, () => judges.ask(question('gpt-4o'))),
    ),
  );
  expect(asked.filter(({ ok }) => !ok)).toEqual([]);
  expect(most).toBe(3);
});

test('an ask that is aborted while others have the permits ends, and the next one is asked', async () => {
  const permits = createModelPermitStore(database);
  const wish = { count: 3, holdMs: 60_000 };
  const held = await Promise.all([0, 1, 2].map(() => permits.take('openai/gpt-5', wish)));
  expect(new Set(held.map((permit) => permit!.id)).size).toBe(3);
  expect(await permits.take('openai/gpt-5', wish)).toBeUndefined();
  const { judges, mock } = await startProcess(() => say(verdict));
  const stop = new AbortController();
  const aborted = judges.ask({ ...question('gpt-5'), signal: stop.signal });
  const waiting = judges.ask(question('gpt-5'));
  stop.abort(new Error('Nobody waits any more.'));
  await expect(aborted).rejects.toThrow('Nobody waits any more.');
  expect(mock.calls).toHaveLength(0);
  await permits.giveBack(held[0]!);
  expect(await waiting).toMatchObject({ ok: true });
  expect(mock.calls).toHaveLength(1);
});

test('the permit of a process that died is free again when it ends, and nobody gives it back for another', async () => {
  const permits = createModelPermitStore(database);
  const dead = await permits.take('compatible/m', { count: 1, holdMs: 100 });
  const own = await poll('it is free again', () =>
    permits.take('compatible/m', { count: 1, holdMs: 60_000 }),
  );
  expect(own.id).toBe(dead!.id);
  await permits.giveBack(dead!);
  expect(await permits.take('compatible/m', { count: 1, holdMs: 60_000 })).toBeUndefined();
});

test('while the database does not answer a process goes by its own bound', async () => {
  const away = () => Promise.reject(new Error('The database is away.'));
  const { judges } = await startJudges({
    answer: () => say(verdict),
    environment,
    permits: { take: away, giveBack: away },
  });
  expect(await judges.ask(question('gpt-4o'))).toMatchObject({ ok: true });
});
