import { expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

/** Whether each of three runs of one version, oldest first, passes a testcase. */
const outcomes = {
  'Always right?': [true, true, true],
  'Right by turns?': [true, false, true],
  'Never right?': [false, false, false],
};

describeInBrowser('the hardest testcases of a testset', (stage) => {
  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  async function createRuns(): Promise<string> {
    const { id: projectId } = await make('/projects', { name: 'Support', description: '' });
    const testset = await make(`/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const { items } = await make(`/testsets/${testset.id}/testcases`, {
      items: Object.keys(outcomes).map((question) => ({ jsonData: { question } })),
    });
    const metric = await make(`/projects/${projectId}/metrics`, {
      name: 'Correct',
      evalType: 'heuristic',
      outputType: 'boolean',
    });
    const system = await make(`/projects/${projectId}/systems`, { name: 'Bot', config: {} });
    for (const number of [0, 1, 2]) {
      const run = await make(`/projects/${projectId}/runs`, {
        name: `run ${number}`,
        testsetId: testset.id,
        metricIds: [metric.id],
        systemVersionId: system.versions[0].id,
      });
      for (const [place, [question, passed]] of Object.entries(outcomes).entries()) {
        const { id } = await make(`/runs/${run.id}/records`, {
          testcaseId: items[place].id,
          inputs: { question },
          expected: {},
          outputs: { answer: 'an answer' },
        });
        await stage.assay.call('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
          score: { value: passed[number] },
        });
      }
    }
    return `/projects/${projectId}/testsets/${testset.id}`;
  }

  test('fail in most runs, or pass and fail by turns in runs of one version', async () => {
    const path = await createRuns();
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(path);
    await page.getByRole('link', { name: 'Hardest' }).click();
    const rowsOf = (name: string) =>
      page.getByRole('region', { name, exact: true }).locator('tbody tr');
    const hard = rowsOf('Fail in at least half of the newest runs');
    await expect
      .poll(() => hard.allTextContents())
      .toEqual([expect.stringMatching(/Never right\?.*3 of 3/s)]);
    const flaky = rowsOf('Pass and fail in runs of the same version');
    await expect
      .poll(() => flaky.allTextContents())
      .toEqual([expect.stringMatching(/Right by turns\?.*1 of 3.*✓ pass.*✗ fail.*✓ pass/s)]);
    expect(await problemsOf(page)).toEqual([]);
    await flaky.getByRole('link', { name: '✗ fail in run 1' }).click();
    await page.getByRole('heading', { name: 'Right by turns?', level: 1 }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
