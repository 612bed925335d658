import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from '@assay/client/client';
import { beforeAll, expect, test } from 'vitest';
import { evaluate } from '../../examples/src/evaluation.ts';
import { readSolutions } from '../../examples/src/gsm8k/solutions.ts';
import { gsm8kTask } from '../../examples/src/gsm8k/task.ts';
import { describeInBrowser } from './browser.ts';

const file = fileURLToPath(
  new URL('../../../shared/data/gsm8k/model_solutions.jsonl', import.meta.url),
);
const isThere = existsSync(file);
const title = 'the published solutions of four models to GSM8K';

describeInBrowser(title, (stage) => {
  let path: (baseline: number, ...candidates: number[]) => string;
  beforeAll(async () => {
    if (!isThere) return;
    const { url, key } = stage.assay;
    const { projectId, versions } = await evaluate({
      client: createClient({ url: `${url}/v2`, key }),
      evaluation: gsm8kTask(await readSolutions(file)),
      at: new Date(),
      onProgress: () => undefined,
    });
    path = (baseline, ...candidates) => {
      const chosen = new URLSearchParams({ baseline: versions[baseline]!.runId });
      for (const candidate of candidates) chosen.append('candidate', versions[candidate]!.runId);
      return `/projects/${projectId}/compare?${chosen}`;
    };
  });

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
      const counts = (await groups.getByRole('link').allTextContents()).map((group) =>
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
