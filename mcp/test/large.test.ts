import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { readSolutions } from '../../examples/src/gsm8k/solutions.ts';
import { gsm8kTask } from '../../examples/src/gsm8k/task.ts';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { connectAgent } from './agent.ts';

/** Sends lines of NDJSON; returns those of the reply. */
async function sendLines({ call }: SharedInstallation, path: string, entries: object[]) {
  const raw = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { text } = await call('POST', path, undefined, { raw, headers });
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const completed = ({ call }: SharedInstallation, runId: string) =>
  poll(
    'the run is completed',
    async () => (await call('GET', `/runs/${runId}`)).body.status === 'completed',
  );

// The helper of an agent checks the tokens of every answer.
describe('every answer fits in its tokens', () => {
  test('with names, payloads, reasonings and lists as large as the API takes them', async () => {
    const assay = await shareInstallation();
    const create = async (path: string, body: object) =>
      (await assay.call('POST', path, body)).body;
    const long = '漢'.repeat(100_000);
    const name = (index: number) => `${index} ${'漢'.repeat(250)}`;
    let project!: { id: string };
    for (let index = 0; index < 22; index++)
      project = await create('/projects', { name: name(index), description: '' });
    const metrics: { id: string }[] = [];
    for (let index = 0; index < 20; index++) {
      metrics.push(
        await create(`/projects/${project.id}/metrics`, {
          name: name(index),
          evalType: 'heuristic',
          outputType: 'boolean',
        }),
      );
      await create(`/projects/${project.id}/testsets`, {
        name: name(index),
        description: '',
        jsonSchema: { type: 'object' },
        fieldMapping: { inputs: [], expected: [], metadata: [] },
      });
    }
    const testset = await create(`/projects/${project.id}/testsets`, {
      name: 'Compared',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const testcases = await create(`/testsets/${testset.id}/testcases`, {
      items: Array.from({ length: 20 }, () => ({ jsonData: { question: 'q' } })),
    });
    const runIds: string[] = [];
    for (const passes of [true, false]) {
      const run = await create(`/projects/${project.id}/runs`, {
        name: name(0),
        testsetId: testset.id,
        metricIds: metrics.map(({ id }) => id),
      });
      runIds.push(run.id);
      await sendLines(
        assay,
        `/runs/${run.id}/records/bulk`,
        testcases.items.map(({ id }: { id: string }) => ({
          testcaseId: id,
          inputs: { question: long },
          expected: { answer: long },
          outputs: { answer: long },
          tags: [long.slice(0, 256)],
          scores: metrics.map((metric) => ({
            metricId: metric.id,
            score: { binaryScore: passes, reasoning: '漢'.repeat(5_000) },
          })),
        })),
      );
      await completed(assay, run.id);
    }
    await using agent = await connectAgent(assay);
    const [baselineRunId = '', candidateRunId = ''] = runIds;
    const { latestRuns } = (await agent.call('overview', { projectId: project.id })).projects[0];
    expect(latestRuns[0].id).toBe(candidateRunId);
    await agent.call('overview');
    expect((await agent.call('find', { text: '漢' })).found).toHaveLength(25);
    expect((await agent.call('run_status', { runId: candidateRunId })).metrics).toHaveLength(20);
    const { records } = await agent.call('list_records', { runId: candidateRunId, limit: 10 });
    expect(records).toHaveLength(10);
    const [{ recordId }] = records;
    expect((await agent.call('get_record', { recordId })).scores).not.toEqual([]);
    await agent.call('get_record', { recordId, at: '/inputs/question' });
    await agent.call('get_record', { recordId, at: '/inputs' });
    const metric = metrics[0]!.id;
    const { groups } = await agent.call('explain_failures', { runId: candidateRunId, metric });
    expect(groups[0].examples).toHaveLength(3);
    const compared = await agent.call('compare_runs', { baselineRunId, candidateRunId });
    expect(compared.metrics).toHaveLength(20);
    expect(compared.largestChanges).toHaveLength(6);
  });

  const file = fileURLToPath(
    new URL('../../../shared/data/gsm8k/model_solutions.jsonl', import.meta.url),
  );
  const isThere = existsSync(file);

  test.skipIf(!isThere)(
    `on the published solutions of two models to GSM8K${isThere ? '' : ' (left out: they are not beside the project)'}`,
    async () => {
      const assay = await shareInstallation();
      const { testset, testcases, metrics, versions } = gsm8kTask(await readSolutions(file));
      const create = async (path: string, body: object) =>
        (await assay.call('POST', path, body)).body.id as string;
      const projectId = await create('/projects', { name: 'GSM8K', description: '' });
      const testsetId = await create(`/projects/${projectId}/testsets`, testset);
      const stored = await sendLines(assay, `/testsets/${testsetId}/testcases/import`, testcases);
      const metricId = await create(`/projects/${projectId}/metrics`, metrics[0]!);
      const runIds: string[] = [];
      for (const { name, answer } of versions.slice(0, 2)) {
        const runId = await create(`/projects/${projectId}/runs`, {
          name,
          testsetId,
          metricIds: [metricId],
        });
        const records = testcases.map(({ question, solution }, index) => ({
          testcaseId: stored[index].id,
          inputs: { question },
          expected: { solution },
          outputs: answer({ index, inputs: { question } }),
        }));
        await sendLines(assay, `/runs/${runId}/records/bulk`, records);
        await completed(assay, runId);
        runIds.push(runId);
      }
      await using agent = await connectAgent(assay);
      const [baselineRunId = '', candidateRunId = ''] = runIds;
      const rate = async (runId: string) =>
        (await agent.call('run_status', { runId })).metrics[0].passRate;
      expect(await rate(baselineRunId)).toBeCloseTo(286 / 1319, 10);
      const compared = await agent.call('compare_runs', { baselineRunId, candidateRunId });
      expect(compared.summary).toContain('Better');
      const { groups } = await agent.call('explain_failures', { runId: baselineRunId });
      expect(groups.length).toBeGreaterThan(0);
      const page = await agent.call('list_records', {
        runId: baselineRunId,
        metric: metricId,
        outcome: 'fail',
        limit: 10,
      });
      expect(page.records).toHaveLength(10);
      await agent.call('get_record', { recordId: page.records[0].recordId });
      const [opened] = (await agent.call('overview')).projects;
      expect(opened.latestRuns).toHaveLength(2);
    },
  );
});
