import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { poll } from '@assay/testing/poll';
import { beforeAll, expect, test } from 'vitest';
import { readSolutions } from '../../examples/src/gsm8k/solutions.ts';
import { gsm8kTask } from '../../examples/src/gsm8k/task.ts';
import { describeInBrowser, textsOf } from './browser.ts';

const file = fileURLToPath(
  new URL('../../../shared/data/gsm8k/model_solutions.jsonl', import.meta.url),
);
const isThere = existsSync(file);
const title = 'the published solutions of four models to GSM8K';

describeInBrowser(title, (stage) => {
  let path: (baseline: number, ...candidates: number[]) => string;
  beforeAll(async () => {
    if (!isThere) return;
    const { projectId, runIds } = await upload();
    path = (baseline, ...candidates) => {
      const chosen = new URLSearchParams({ baseline: runIds[baseline]! });
      for (const candidate of candidates) chosen.append('candidate', runIds[candidate]!);
      return `/projects/${projectId}/compare?${chosen}`;
    };
  });

  /** The demo's evaluation, each file in one upload: record by record it takes a minute. */
  async function upload() {
    const { testset, testcases, metrics, versions } = gsm8kTask(await readSolutions(file));
    const send = async (path: string, raw: object[]) => {
      const lines = raw.map((entry) => JSON.stringify(entry)).join('\n');
      const headers = { 'content-type': 'application/x-ndjson' };
      const { text } = await stage.assay.call('POST', path, undefined, { raw: lines, headers });
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const create = async (path: string, body: object) =>
      (await stage.assay.call('POST', path, body)).body.id as string;
    const projectId = await create('/projects', { name: 'GSM8K', description: '' });
    const testsetId = await create(`/projects/${projectId}/testsets`, testset);
    const stored = await send(`/testsets/${testsetId}/testcases/import`, testcases);
    const metricId = await create(`/projects/${projectId}/metrics`, metrics[0]!);
    const runIds: string[] = [];
    for (const { name, answer } of versions) {
      const body = { name, testsetId, metricIds: [metricId] };
      const runId = await create(`/projects/${projectId}/runs`, body);
      const records = testcases.map(({ question, solution }, index) => ({
        testcaseId: stored[index].id,
        inputs: { question },
        expected: { solution },
        outputs: answer({ index, inputs: { question } }),
      }));
      await send(`/runs/${runId}/records/bulk`, records);
      runIds.push(runId);
    }
    const isScored = async (runId: string) =>
      (await stage.assay.call('GET', `/runs/${runId}`)).body.scoring.scored === testcases.length;
    for (const runId of runIds) await poll('the run is scored', () => isScored(runId));
    return { projectId, runIds };
  }

  test.skipIf(!isThere)(
    'have the verdicts of the authors, with their counts (skipped without the data set)',
    async () => {
      await using visitor = await stage.visit();
      await visitor.open(path(0, 1, 2, 3));
      const row = visitor.page.getByRole('row', { name: /^Correct answer/ });
      await expect.poll(() => row.getByText('better').count()).toBe(3);
      // 286, 515, 458 and 742 of 1,319.
      const text = (await row.textContent())!;
      for (const share of ['21.7', '39.0', '34.7', '56.3']) expect(text).toContain(`${share} %`);

      await visitor.open(path(1, 2));
      await visitor.page.getByText(/^Worse: 175b_finetuning is 4\.3 points lower/).waitFor();
      const groups = visitor.page.getByRole('navigation', { name: 'Groups of testcases' });
      const counts = (await textsOf(groups.getByRole('link'))).map((group) =>
        Number(group.replace(/\D/g, '')),
      );
      const [regressed = 0, improved = 0, changed = 0, bothFail = 0, bothPass = 0] = counts;
      expect(changed).toBe(regressed + improved);
      expect(regressed - improved).toBe(515 - 458);
      expect(regressed + improved + bothFail + bothPass).toBe(1319);
      expect(visitor.complaints).toEqual([]);
    },
  );
});
