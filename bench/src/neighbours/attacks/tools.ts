import {
  type Attack,
  builtin,
  fill,
  newMetric,
  newProject,
  newRun,
  newTestset,
  record,
  repeat,
} from '../attack.ts';
import type { ToolName } from '../operations.ts';
import { prepareLarge } from './large.ts';
import { prepareRuns } from './verdicts.ts';

/** Attacks by an agent: the calls of the tools. */
export const toolAttacks: Attack[] = [
  {
    name: 'tools of agents',
    prepare: async (attacker) => {
      const { call } = attacker;
      const runs = await attacker.shared(prepareRuns);
      const { projectId, baselineRunId, candidateRunId, metricId, humanMetricId } = runs;
      const recordId = await attacker.shared(prepareLarge);
      const ownProjectId = await newProject(call);
      const scoredMetricId = await newMetric(call, ownProjectId, {
        evalType: 'heuristic',
        builtin,
      });
      const runId = await newRun(call, ownProjectId, [scoredMetricId]);
      await fill(attacker, runId, record, 1000);
      const testsetId = await newTestset(call, ownProjectId);
      const items = Array.from({ length: 50 }, () => ({ jsonData: { answer: 'a' } }));
      const change = {
        evalType: 'heuristic',
        builtin: { ...builtin, options: { ...builtin.options, ignoreCase: true } },
      };
      return repeat(attacker, 12, [
        tool('overview', { projectId }),
        tool('find', { text: 'nobody called it so' }),
        tool('run_status', { runId: candidateRunId }),
        tool('list_records', { runId: candidateRunId, text: 'nobody wrote this' }),
        tool('get_record', { recordId, at: '/outputs/x' }),
        tool('explain_failures', { runId: candidateRunId, metric: 'Judge' }),
        tool('compare_runs', { baselineRunId, candidateRunId }),
        tool('metric_reliability', { metricId, runId: candidateRunId, humanMetricId }),
        tool('preview_metric', { metricId: scoredMetricId, runId, change, limit: 50 }),
        tool('create_testcases', { testsetId, items, apply: true }),
        tool('start_rescore', { runId, budgetUsd: 1 }),
      ]);
    },
  },
];

const tool = (name: ToolName, args: object) => ({
  kind: name,
  method: 'POST',
  base: '',
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  }),
  rows: { least: 1, count: answersOf },
});

/** A call that failed is answered with 200, too. */
const answersOf = (answer: Buffer): number =>
  answer.includes('"structuredContent"') && !answer.includes('"isError":true') ? 1 : 0;
