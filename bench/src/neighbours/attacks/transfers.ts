import {
  type Attack,
  type Attacker,
  bytes,
  fill,
  get,
  importTestcases,
  lines,
  ndjson,
  newMetric,
  newProject,
  newRun,
  newTestset,
  record,
  repeat,
  repeatSteps,
  shown,
  testcaseLine,
} from '../attack.ts';

const count = 20_000;

/** A run and a testset of one project, which are read again and again. */
export async function prepareLists(attacker: Attacker) {
  const { call } = attacker;
  const projectId = await newProject(call);
  const testsetId = await newTestset(call, projectId);
  await importTestcases(attacker, testsetId, count);
  const metricId = await newMetric(call, projectId, { evalType: 'human' });
  const runId = await newRun(call, projectId, [metricId]);
  const outputs = { answer: 'a'.repeat(500) };
  const recordIds = await fill(attacker, runId, { ...record, outputs }, count);
  return { projectId, testsetId, metricId, runId, recordIds };
}

/** Attacks that have much data carried in or out. */
export const transferAttacks: Attack[] = [
  {
    name: 'exports of records',
    prepare: async (attacker) => {
      const { runId } = await attacker.shared(prepareLists);
      const path = `/runs/${runId}/records/export?format=`;
      return repeat(attacker, 12, [
        get('exportRecords as CSV', `${path}csv`, lines(count)),
        get('exportRecords as NDJSON', `${path}ndjson`, lines(count)),
        get('exportRecords as Parquet', `${path}parquet`, bytes(count)),
      ]);
    },
  },
  {
    name: 'exports of testcases and projects',
    prepare: async (attacker) => {
      const { projectId, testsetId } = await attacker.shared(prepareLists);
      const path = `/testsets/${testsetId}/testcases/export?format=`;
      return repeat(attacker, 12, [
        get('exportTestcases as CSV', `${path}csv`, lines(count)),
        get('exportTestcases as NDJSON', `${path}ndjson`, lines(count)),
        get(
          'exportTestcases as JSON',
          `${path}json`,
          shown(count, ({ length }) => length),
        ),
        get(
          'listDuplicates',
          `/testsets/${testsetId}/duplicates?preview=0`,
          shown(count, ({ read }) => read),
        ),
        get('exportProject', `/projects/${projectId}/export`, lines(2 * count)),
      ]);
    },
  },
  {
    name: 'imports of testcases',
    prepare: async (attacker) => {
      const testsetId = await newTestset(attacker.call, await newProject(attacker.call));
      const path = `/testsets/${testsetId}/testcases/import`;
      const item = { jsonData: { answer: 'a' } };
      const forms = {
        NDJSON: [ndjson, testcaseLine.repeat(count)],
        CSV: ['text/csv', `answer\n${'a\n'.repeat(count)}`],
        JSON: ['application/json', JSON.stringify(Array.from({ length: count }, () => item))],
      } as const;
      return repeat(
        attacker,
        6,
        Object.entries(forms).map(([form, [type, body]]) => ({
          kind: `importTestcases as ${form}`,
          method: 'POST',
          path,
          type,
          body,
          rows: lines(count),
        })),
      );
    },
  },
  {
    name: 'imports of records and scores',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const metricId = await newMetric(call, projectId, { evalType: 'human' });
      const runId = await newRun(call, projectId, [metricId]);
      const recordIds = await fill(attacker, runId, record, count);
      const scoreLines = recordIds.map((recordId) =>
        JSON.stringify({ recordId, metricId, score: { binaryScore: true } }),
      );
      const recordLine = `${JSON.stringify({ ...record, tags: ['imported'] })}\n`;
      return repeat(attacker, 6, [
        {
          kind: 'createRecords',
          method: 'POST',
          path: `/runs/${runId}/records/bulk`,
          type: ndjson,
          body: recordLine.repeat(count),
          rows: lines(count),
        },
        {
          kind: 'putScores',
          method: 'PUT',
          path: `/runs/${runId}/scores/bulk`,
          type: ndjson,
          body: scoreLines.join('\n'),
          rows: lines(count),
        },
      ]);
    },
  },
  {
    name: 'annotations',
    prepare: async (attacker) => {
      const { recordIds } = await attacker.shared(prepareLists);
      let turn = 0;
      return repeatSteps(attacker, { atOnce: 32, kinds: ['createAnnotation'] }, (send) =>
        send({
          kind: 'createAnnotation',
          method: 'POST',
          path: `/records/${recordIds[turn++ % recordIds.length]}/annotations`,
          body: JSON.stringify({ comment: 'a'.repeat(5000) }),
        }),
      );
    },
  },
  {
    name: 'imports of projects',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const recordIds = await fill(attacker, await newRun(call, projectId), record, count / 10);
      for (const id of recordIds.slice(0, 200))
        await call('POST', `/records/${id}/annotations`, { comment: 'a' });
      const exported = await fetch(`${attacker.url}/v2/projects/${projectId}/export`, {
        headers: { authorization: `Bearer ${attacker.key}` },
      });
      const body = await exported.text();
      return repeat(attacker, 4, [
        {
          kind: 'importProject',
          method: 'POST',
          path: '/projects/import?name=Attack',
          type: ndjson,
          body,
          rows: lines(1),
        },
      ]);
    },
  },
];
