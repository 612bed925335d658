import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
let projectId: string;
beforeAll(async () => {
  world = await startWorld({
    services: {
      catalog: startCatalog,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
    },
  });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(() => world.stop());

const builtinOf = (schema: string) =>
  `{"name":"json_schema","options":{"output":"/v","schema":${schema}}}`;
const exact = builtinOf('{"const":9007199254740993}');
const types = '"evalType":"heuristic","outputType":"boolean"';
const bodyOf = (builtin: string) => `{"name":"m",${types},"builtin":${builtin}}`;

async function post(path: string, raw: string) {
  const reply = await world.request('POST', path, undefined, { raw });
  if (reply.status >= 300) throw new Error(reply.text);
  return reply;
}
const create = (builtin: string) => post(`/projects/${projectId}/metrics`, bodyOf(builtin));

async function newRun(metricIds: string[], outputs: string[]) {
  const { id } = await world.create(`/projects/${projectId}/runs`, { metricIds });
  const recordIds = [];
  for (const v of outputs) {
    const raw = `{"inputs":{},"expected":{"v":9007199254740993},"outputs":{"v":${v}}}`;
    recordIds.push((await post(`/runs/${id}/records`, raw)).body.id);
  }
  return { runId: id as string, recordIds: recordIds as string[] };
}

const valuesOf = (recordIds: string[]) =>
  Promise.all(
    recordIds.map((id) =>
      poll('the record has its score', async () => {
        const { body } = await world.request('GET', `/records/${id}`);
        return body.scores[0]?.score;
      }),
    ),
  ).then((scores) => scores.map(({ value }) => value));

const near = ['9007199254740992', '9007199254740993'];

test('a prompt shows a judge each digit that was sent', async () => {
  const judge =
    '"name":"j","evalType":"ai","outputType":"boolean","evalModelName":"openai/gpt-4o","promptTemplate":"{{ outputs.v }} for {{ expected }}"';
  const { runId, recordIds } = await newRun([], ['9007199254740992', '1.50']);
  expect(runId).toBeDefined();
  const rendered = await Promise.all(
    recordIds.map(async (id) => {
      const raw = `{${judge},"recordId":"${id}"}`;
      const { body } = await post(`/projects/${projectId}/metrics/check`, raw);
      return body.renderedPrompt.prompt.replaceAll(/<[^>]*>/g, '');
    }),
  );
  expect(rendered).toEqual([
    '9007199254740992 for {"v": 9007199254740993}',
    '1.50 for {"v": 9007199254740993}',
  ]);
});

describe('a number of nineteen digits in the options of a metric', () => {
  test('is answered as it was sent, wherever the metric is read', async () => {
    const created = await create(exact);
    expect(created.text).toContain(exact);
    const { id } = created.body;
    const paths = [
      `/metrics/${id}`,
      `/metrics/${id}/versions`,
      `/projects/${projectId}/metrics?limit=1`,
    ];
    for (const path of paths) expect((await world.request('GET', path)).text).toContain(exact);
    const body = { kind: 'metric', of: projectId };
    const asService = { identity: { role: 'service' as const } };
    const path = '/internal/metrics/part/export';
    const exported = await world.request('POST', path, body, asService);
    expect(exported.text).toContain(exact);
  });

  test('scores by its value', async () => {
    const { body } = await create(exact);
    const { recordIds } = await newRun([body.id], near);
    expect(await valuesOf(recordIds)).toEqual([false, true]);
  });

  test('makes another version of the metric where one digit differs', async () => {
    const { body } = await create(exact);
    const changed = builtinOf('{"const":9007199254740992}');
    const raw = `{${types},"builtin":${changed}}`;
    await world.request('PATCH', `/metrics/${body.id}`, undefined, { raw });
    const { text, body: versions } = await world.request('GET', `/metrics/${body.id}/versions`);
    expect(versions.data).toHaveLength(2);
    expect(text).toContain(changed);
  });

  test('previews by its value, as a new metric', async () => {
    const { runId, recordIds } = await newRun([], near);
    const values = ({ body }: Awaited<ReturnType<typeof post>>) =>
      recordIds.map(
        (id) => body.scores.find(({ recordId }: { recordId: string }) => recordId === id)?.value,
      );
    const preview = await post(
      `/projects/${projectId}/metrics/preview`,
      `{"runId":"${runId}","metric":${bodyOf(exact)}}`,
    );
    expect(values(preview)).toEqual([false, true]);
  });

  test('is checked by its value', async () => {
    const builtin = '{"name":"levenshtein","options":{"threshold":1.00000000000000000001}}';
    const { body } = await post(`/projects/${projectId}/metrics/check`, bodyOf(builtin));
    expect(body.issues).toMatchObject([{ path: '/builtin/options/threshold' }]);
  });

  test('is the bound of a tolerance', async () => {
    const options = '{"output":"/v","expected":"/v","absolute":1234567890123456789}';
    const { body } = await create(`{"name":"number_close","options":${options}}`);
    const { recordIds } = await newRun([body.id], ['1243575089378197782', '1243575089378197783']);
    expect(await valuesOf(recordIds)).toEqual([true, false]);
  });
});
