import { pairJudgementsMax } from '@assay/contracts/scoring/pairwise';
import { judgedMetric } from '../../judge.ts';
import {
  type Attack,
  type Attacker,
  get,
  importTestcases,
  newMetric,
  newProject,
  newTestset,
  post,
  record,
  repeat,
  repeatSteps,
  shown,
  upload,
} from '../attack.ts';

/** Records of one upload: a body of a few megabytes. */
const uploadCount = 10_000;

/**
 * Two runs with scores of the same testcases, one of a judge and one of code for each record, of
 * which one in five changes. People are to score them, too.
 */
export async function prepareRuns(attacker: Attacker) {
  const { call, pairsCount: count } = attacker;
  const projectId = await newProject(call);
  const metricId = await newMetric(call, projectId, {
    name: 'Judge',
    evalType: 'ai',
    promptTemplate: '{{ outputs.answer }}',
  });
  const codeMetricId = await newMetric(call, projectId, { name: 'Code', evalType: 'heuristic' });
  const humanMetricId = await newMetric(call, projectId, { name: 'People', evalType: 'human' });
  const testsetId = await newTestset(call, projectId);
  const testcaseIds = await importTestcases(attacker, testsetId, count);
  const create = async (isCandidate: boolean): Promise<string> => {
    const { id: runId } = await call('POST', `/projects/${projectId}/runs`, {
      testsetId,
      metricIds: [metricId, codeMetricId, humanMetricId],
    });
    for (let start = 0; start < count; start += uploadCount) {
      const recordLines = testcaseIds.slice(start, start + uploadCount).map((testcaseId, index) => {
        const score = { binaryScore: index % 5 === 0 ? isCandidate : index % 2 === 0 };
        const scores = [metricId, codeMetricId].map((id) => ({ metricId: id, score }));
        return JSON.stringify({ ...record, testcaseId, scores });
      });
      await upload(attacker, `/runs/${runId}/records/bulk`, recordLines.join('\n'));
    }
    const { numRecords } = await call('GET', `/runs/${runId}`);
    if (numRecords !== count) throw new Error(`Of ${count} records ${numRecords} were taken.`);
    return runId;
  };
  const baselineRunId = await create(false);
  const candidateRunId = await create(true);
  return { projectId, metricId, codeMetricId, humanMetricId, baselineRunId, candidateRunId };
}

const ofPairs = (least: number) => shown(least, ({ data }) => data.length);

/** Attacks that have large runs compared, summarized and planned. */
export const verdictAttacks: Attack[] = [
  {
    name: 'large comparisons',
    prepare: async (attacker) => {
      const { pairsCount } = attacker;
      const { metricId, baselineRunId, candidateRunId } = await attacker.shared(prepareRuns);
      const runs = { baselineRunId, candidateRunId };
      const query = new URLSearchParams({ ...runs, metricId });
      return repeat(attacker, 15, [
        post(
          'compareRuns',
          '/comparisons',
          runs,
          shown(pairsCount, ({ metrics }) => metrics[0].paired),
        ),
        post('summarizeRuns', '/run-summaries', { runIds: [baselineRunId, candidateRunId] }),
        get('listPairs', `/comparisons/pairs?${query}`, ofPairs(1)),
        get('listFlips', `/comparisons/flips?${query}`, ofPairs(1)),
        get('getRunSummary', `/runs/${candidateRunId}/summary`),
      ]);
    },
  },
  {
    name: 'label draws',
    prepare: async (attacker) => {
      const { metricId, humanMetricId, baselineRunId, candidateRunId } =
        await attacker.shared(prepareRuns);
      const runs = { baselineRunId, candidateRunId, metricId };
      const reliability = new URLSearchParams({ runId: candidateRunId, humanMetricId });
      return repeat(attacker, 15, [
        post('drawLabels', '/label-draws', { ...runs, humanMetricId, testcases: 20 }),
        get('getLabelDraw', `/label-draws?${new URLSearchParams(runs)}`),
        get('getReliability', `/metrics/${metricId}/reliability?${reliability}`),
      ]);
    },
  },
  {
    name: 'pairwise comparisons',
    prepare: async (attacker) => {
      const { projectId, baselineRunId, candidateRunId } = await attacker.shared(prepareRuns);
      const metricId = await newMetric(attacker.call, projectId, {
        name: 'Judge of pairs',
        evalType: 'ai',
        subject: 'pair',
        evalModelName: judgedMetric.evalModelName,
        promptTemplate: '{{ first.outputs.answer }} or {{ second.outputs.answer }}?',
      });
      const body = { metricId, runIds: [baselineRunId, candidateRunId] };
      const testcases = Math.min(pairJudgementsMax, attacker.pairsCount);
      const kinds = [
        'estimatePairwiseComparison',
        'createPairwiseComparison',
        'retryPairwiseComparison',
      ];
      return repeatSteps(attacker, { atOnce: 12, kinds }, async (send, client) => {
        if (client > 0)
          return send(post(kinds[0]!, '/pairwise-comparisons/estimate', { ...body, testcases }));
        const created = await send(
          post(kinds[1]!, '/pairwise-comparisons', { ...body, testcases }),
        );
        if (created === undefined) return;
        const path = `/pairwise-comparisons/${JSON.parse(String(created)).id}`;
        await send(post(kinds[2]!, `${path}/retry`, {}));
        await send({ kind: 'deletePairwiseComparison', method: 'DELETE', path });
      });
    },
  },
  {
    name: 'plans',
    prepare: async (attacker) => {
      const { metricId, baselineRunId, candidateRunId } = await attacker.shared(prepareRuns);
      return repeat(attacker, 30, [
        post('planComparison', '/plans', {
          metricId,
          difference: 0.05,
          pilotRunId: candidateRunId,
          pilotBaselineRunId: baselineRunId,
        }),
      ]);
    },
  },
];
