import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../../test/system/installation.ts';
import { type JudgedRuns, makeJudgedRuns, startKindJudge } from '../../test/system/judged-runs.ts';
import { type Agent, connectAgent } from './agent.ts';

let judges: Awaited<ReturnType<typeof startKindJudge>>;
let assay: Installation;
let runs: JudgedRuns;
let agent: Agent;

beforeAll(async () => {
  judges = await startKindJudge();
  assay = await startInstallation({ scoring: judges.config() });
  runs = await makeJudgedRuns(assay.call);
  agent = await connectAgent(assay);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await assay.stop();
  await judges.stop();
});

test('preview_metric asks the judge for what was confirmed, tells the flips with their reasons, and stores nothing', async () => {
  const { judgeId: metricId, candidateRunId: runId } = runs;
  // Without the answer in the prompt, this judge lets nothing pass.
  const change = { promptTemplate: 'question: {{ inputs.question }}' };
  const request = { metricId, runId, change, limit: 10 };
  const { estimateUsd } = await agent.call('preview_metric', request);
  expect(estimateUsd).toBeGreaterThan(0);
  const asked = judges.calls.length;
  const preview = await agent.call('preview_metric', { ...request, confirmCostUsd: estimateUsd });
  expect(judges.calls.length - asked).toBe(10);
  expect(preview).toMatchObject({ done: true, estimateUsd });
  expect(preview.costUsd).toBeGreaterThan(0);
  expect(preview.costUsd).toBeLessThanOrEqual(estimateUsd);
  expect(preview.summary).toMatch(
    /^\d+ of 10 records flip; 0 could not be scored\. It cost \$0\.0/,
  );
  expect(preview.flips.length).toBeGreaterThan(0);
  for (const flip of preview.flips)
    expect(flip).toMatchObject({
      before: true,
      after: false,
      link: expect.stringContaining('/records/'),
      reasoning: expect.stringContaining('So.'),
    });
  const { body } = await assay.call('GET', `/metrics/${metricId}`);
  expect(body.promptTemplate).toBe('answer: {{ outputs.answer }}');
});

test('metric_reliability tells how far the judge agrees with people, and where they differ', async () => {
  const { judgeId: metricId, candidateRunId: runId } = runs;
  const reliable = await agent.call('metric_reliability', { metricId, runId });
  expect(reliable.agreement.measure).toBe("Cohen's kappa");
  // The judge lets each of the 36 answers pass that people scored, and people only some of them.
  expect(reliable.agreement.value).toBe(0);
  expect(reliable.summary).toMatch(
    /^The agreement of judge and people is poor \(Cohen's kappa 0\.00\)\. They differ on \d+ records/,
  );
  expect(reliable.disagreements).toHaveLength(15);
  expect(reliable.disagreements[0]).toMatchObject({
    judge: true,
    human: false,
    reasoning: expect.stringContaining('So.'),
  });
});

test('compare_runs gives the verdict of people where their scores turn that of the judge round, and says whose it is', async () => {
  const { judgeId, baselineRunId, candidateRunId } = runs;
  const compared = await agent.call('compare_runs', {
    baselineRunId,
    candidateRunId,
    metricIds: [judgeId],
  });
  expect(compared.summary).toMatch(
    /: Undecided: the candidate is −\d\.\d points .*, going by people's scores of 36 testcases\.$/,
  );
  expect(compared.metrics[0]).toMatchObject({ verdict: 'undecided', decidedBy: 'people' });
});
