import {
  type Attack,
  builtin,
  fill,
  get,
  headOf,
  hold,
  newMetric,
  newProject,
  newRun,
  post,
  record,
  repeat,
  shown,
} from '../attack.ts';
import { prepareLists } from './transfers.ts';

const runsCount = 1000;
const label = { key: 'branch', value: 'none' };

/** Attacks that have much data read again and again. */
export const readingAttacks: Attack[] = [
  {
    name: 'searches that find nothing',
    prepare: async (attacker) => {
      const { runId } = await attacker.shared(prepareLists);
      return repeat(attacker, 24, [
        post('searchRecords', `/runs/${runId}/records/search`, {
          text: 'nobody wrote this',
          fields: ['outputs'],
        }),
      ]);
    },
  },
  {
    name: 'searches of runs',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      for (let made = 0; made < runsCount; made += 20)
        await Promise.all(Array.from({ length: 20 }, () => newRun(call, projectId)));
      return repeat(attacker, 24, [
        get('listRuns', `/projects/${projectId}/runs?label=${label.key}:${label.value}`),
        get('getTrends', `/projects/${projectId}/trends?newest=500`),
        get('findNames', `/projects/${projectId}/names?text=nobody`),
        post('findNewestRun', `/projects/${projectId}/runs/newest`, {
          label: `${label.key}:${label.value}`,
        }),
        // No run of the attack is a day old: what is asked for is found to be nothing.
        get('previewRunRetention', `/projects/${projectId}/run-retention?days=1`),
      ]);
    },
  },
  {
    name: 'review queues',
    prepare: async (attacker) => {
      const { projectId, runId } = await attacker.shared(prepareLists);
      const query = new URLSearchParams({ runId });
      return repeat(attacker, 24, [
        get(
          'listReviewQueue',
          `/review-queue?${query}`,
          shown(1, ({ data }) => data.length),
        ),
        get(
          'getReviewProgress',
          `/review-queue/progress?${query}`,
          shown(1, ({ missing }) => missing),
        ),
        post(
          'takeReviewItem',
          '/review-queue/next',
          { projectId, runId },
          shown(1, ({ item }) => (item === null ? 0 : 1)),
        ),
      ]);
    },
  },
  {
    name: 'streams of events',
    prepare: async (attacker) => {
      const { runId } = await attacker.shared(prepareLists);
      const head = headOf(attacker, `/runs/${runId}/events`, {}, 'GET');
      return hold(
        attacker,
        { kind: 'streamRunEvents', connections: 400, isAnswered: true },
        Buffer.from(head),
      );
    },
  },
  {
    name: 'previews of metrics',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const metric = { evalType: 'heuristic', outputType: 'boolean', builtin };
      const runId = await newRun(call, projectId, [await newMetric(call, projectId, metric)]);
      await fill(attacker, runId, record, 1000);
      return repeat(attacker, 24, [
        post('previewNewMetric', `/projects/${projectId}/metrics/preview`, {
          runId,
          metric: { name: 'Attack', ...metric },
        }),
      ]);
    },
  },
];
