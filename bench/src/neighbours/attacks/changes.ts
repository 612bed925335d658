import {
  type Attack,
  type Attacker,
  builtin,
  fill,
  importTestcases,
  newMetric,
  newProject,
  newRun,
  newTestset,
  post,
  record,
  repeat,
  repeatSteps,
  shown,
} from '../attack.ts';
import { prepareLists } from './transfers.ts';

const count = 5000;
const scoredCount = 5000;

const remove = (kind: string, path: string) => ({ kind, method: 'DELETE', path });

/** Returns runs whose scores by this metric are there, have failed, or soon will. */
async function prepareScored(attacker: Attacker, metric: object, runs: number): Promise<string[]> {
  const { call } = attacker;
  const projectId = await newProject(call);
  const metricId = await newMetric(call, projectId, { evalType: 'heuristic', ...metric });
  const runIds: string[] = [];
  for (let made = 0; made < runs; made++) {
    const runId = await newRun(call, projectId, [metricId]);
    await fill(attacker, runId, record, scoredCount);
    runIds.push(runId);
  }
  return runIds;
}

const code = (source: string) => ({ code: { language: 'javascript', source } });

/** Attacks by changes that touch many documents, or that are checked before they are made. */
export const changeAttacks: Attack[] = [
  {
    name: 'copies and deletions of testsets',
    prepare: async (attacker) => {
      const { testsetId } = await attacker.shared(prepareLists);
      const kinds = ['duplicateTestset', 'updateTestset', 'deleteTestset'];
      return repeatSteps(attacker, { atOnce: 4, kinds }, async (send) => {
        const copied = await send(post('duplicateTestset', `/testsets/${testsetId}/duplicate`, {}));
        if (copied === undefined) return;
        const path = `/testsets/${JSON.parse(String(copied)).id}`;
        const jsonSchema = { properties: { answer: { type: 'string', minLength: 2 } } };
        await send({ ...post('updateTestset', path, { jsonSchema }), method: 'PATCH' });
        await send(remove('deleteTestset', path));
      });
    },
  },
  {
    name: 'deletions of projects and runs',
    prepare: async (attacker) => {
      const { call } = attacker;
      const kinds = ['deleteProject', 'deleteRun', 'deleteTestcases'];
      return repeatSteps(attacker, { atOnce: 3, kinds }, async (send) => {
        const projectId = await newProject(call);
        const ids = await importTestcases(attacker, await newTestset(call, projectId), count);
        const runId = await newRun(call, projectId);
        await fill(attacker, runId, record, count);
        await fill(attacker, await newRun(call, projectId), record, count);
        await send(
          post('deleteTestcases', '/testcases/bulk-delete', { ids: ids.slice(count / 2) }),
        );
        await send(remove('deleteRun', `/runs/${runId}`));
        await send(remove('deleteProject', `/projects/${projectId}`));
      });
    },
  },
  {
    name: 'checks of schemas',
    prepare: async (attacker) => {
      const { projectId, testsetId } = await attacker.shared(prepareLists);
      const properties = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`field${index}`, { type: 'string' }]),
      );
      let turn = 0;
      const kinds = ['checkTestcases', 'createTestset'];
      return repeatSteps(attacker, { atOnce: 12, kinds }, (send, client) => {
        // Another schema each time, which no cache has.
        const jsonSchema = { $comment: String(turn++), properties };
        return client % 2 === 0
          ? send(
              post(
                'checkTestcases',
                `/testsets/${testsetId}/check`,
                { jsonSchema },
                shown(1, ({ checked }) => checked),
              ),
            )
          : send(
              post('createTestset', `/projects/${projectId}/testsets`, {
                name: 'Attack',
                description: '',
                jsonSchema,
                fieldMapping: { inputs: [], expected: [], metadata: [] },
              }),
            );
      });
    },
  },
  {
    name: 'changes of metrics',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const runId = await newRun(call, projectId);
      const { id: recordId } = await call('POST', `/runs/${runId}/records`, record);
      const metricId = await newMetric(call, projectId, { evalType: 'heuristic', builtin });
      const prompt = { evalType: 'ai', promptTemplate: '{{ outputs.answer }}'.repeat(1000) };
      let turn = 0;
      const kinds = ['updateMetric', 'adoptMetric', 'checkMetric'];
      const requests = [
        () => ({
          ...post('updateMetric', `/metrics/${metricId}`, {
            evalType: 'heuristic',
            outputType: 'boolean',
            ...code(`function evaluate() { return { binaryScore: ${turn} > 1 }; }`),
          }),
          method: 'PATCH',
        }),
        () =>
          post('adoptMetric', `/projects/${projectId}/metrics/adopt`, {
            template: 'faithfulness',
            name: 'Attack',
            fields: { context: '/inputs/passages', answer: '/outputs/answer' },
          }),
        () =>
          post('checkMetric', `/projects/${projectId}/metrics/check`, {
            name: 'Attack',
            outputType: 'boolean',
            recordId,
            ...prompt,
          }),
      ];
      return repeatSteps(attacker, { atOnce: 12, kinds }, (send) =>
        send(requests[turn++ % requests.length]!()),
      );
    },
  },
  {
    name: 'scores again and again',
    prepare: async (attacker) => {
      const scored = await prepareScored(attacker, { builtin }, 3);
      const failing = code("function evaluate() { throw new Error('No.'); }");
      const [failed] = await prepareScored(attacker, failing, 1);
      const queued = shown(1, ({ queued }) => queued);
      return repeat(attacker, 4, [
        ...scored.map((id) => post('rescoreRun', `/runs/${id}/rescore`, {}, queued)),
        ...scored.map((id) =>
          post('estimateRescoring', `/runs/${id}/rescore/estimate`, {}, queued),
        ),
        post('pauseRun', `/runs/${scored[0]}/pause`, {}),
        post('resumeRun', `/runs/${scored[0]}/resume`, {}),
        post('retryRun', `/runs/${failed}/retry`, {}),
      ]);
    },
  },
];
