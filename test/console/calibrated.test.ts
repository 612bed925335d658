import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JudgedRuns, makeJudgedRuns, startKindJudge } from '../system/judged-runs.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

let judges: Awaited<ReturnType<typeof startKindJudge>>;

describeInBrowser(
  "a judge's verdict",
  (stage) => {
    let runs: JudgedRuns;
    let path: string;
    beforeAll(async () => {
      runs = await makeJudgedRuns(stage.assay.call, { overrides: false });
      const { projectId, baselineRunId, candidateRunId } = runs;
      path = `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}`;
    });
    afterAll(() => judges?.stop());

    test('is by the judge alone until a person chooses whose scores correct it, and then says whom the judge favours', async () => {
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(path);
      const card = page.getByRole('listitem').filter({
        has: page.getByRole('heading', { name: 'Right, by a judge' }),
      });
      await card
        .getByText(/^By the judge alone\. Better: After is 5\d\.\d points higher/)
        .waitFor();
      await card.getByText('People have not scored any testcase in both runs').waitFor();
      await card.getByLabel("Corrected by people's scores of").selectOption('Right, by people');
      await card
        .getByText(
          /^Undecided: After is −\d\.\d points .*, going by people's scores of 36 testcases\.$/,
        )
        .waitFor();
      await card
        .getByText(/^The judge favours After: it puts the difference 5\d\.\d points/)
        .waitFor();
      await card.getByText(/^By the judge alone\. Better: After/).waitFor();
      await card.getByText('People chose themselves which 36 testcases to score.').waitFor();
      expect(page.url()).toContain(`people=${runs.humanMetricId}`);
      await page.reload();
      await card.getByText(/^The judge favours After/).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      expect(visitor.complaints).toEqual([]);
    });
  },
  {
    options: async () => {
      judges = await startKindJudge();
      return { scoring: judges.config() };
    },
  },
);
