import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../../../test/system/installation.ts';
import {
  type JudgedRuns,
  makeJudgedRuns,
  startKindJudge,
} from '../../../test/system/judged-runs.ts';
import { runGate } from './command.ts';

let assay: Installation;
let judges: Awaited<ReturnType<typeof startKindJudge>>;
let runs: JudgedRuns;

beforeAll(async () => {
  judges = await startKindJudge();
  assay = await startInstallation({ scoring: judges.config() });
  runs = await makeJudgedRuns(assay.call, { overrides: false });
});
afterAll(async () => {
  await assay.stop();
  await judges.stop();
});

const gateJudge = (args: string[] = []) =>
  runGate(
    [
      '--baseline',
      runs.baselineRunId,
      '--candidate',
      runs.candidateRunId,
      '--metric',
      'Right, by a judge',
      ...args,
    ],
    { ASSAY_URL: assay.url, ASSAY_API_KEY: assay.key },
  );

test("the gate takes the verdict that people's scores of a human metric correct, in every format", async () => {
  const people = ['--human-metric', 'Right, by people'];
  const { exitCode, stdout } = await gateJudge(people);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/ {2}by people +36 .* undecided\n/);
  expect(stdout).toMatch(
    /corrected by people's scores of 36 testcases\. The judge alone says better, and is too kind to the candidate by 5\d\.\d \(/,
  );
  const json = JSON.parse((await gateJudge([...people, '--format', 'json'])).stdout);
  expect(json.metrics[0]).toMatchObject({
    decidedBy: 'people',
    calibrated: { labels: 36, verdict: 'undecided' },
  });
  const junit = (await gateJudge([...people, '--format', 'junit'])).stdout;
  expect(junit).toContain('going by people&#39;s scores of 36 testcases');
  // The improvement that the judge sees is a regression.
  const limited = await gateJudge([...people, '--max-regression', '0.01']);
  expect(limited.exitCode).toBe(1);
  expect(limited.stderr).toMatch(
    /the candidate is 0\.0\d+ lower, and --max-regression allows 0\.01/,
  );
});

test("the gate is held to people's scores that are missing where their metric is named, and only there", async () => {
  expect(await gateJudge()).toMatchObject({ exitCode: 0 });
  expect(await gateJudge(['--metric', 'Right, by people'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^"Right, by people": the \w+ run lacks 12 scores \(12 missing\)/,
    ),
  });
});
