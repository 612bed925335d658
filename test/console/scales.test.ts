import { beforeAll, expect, test } from 'vitest';
import { uploadRecords } from '../system/records.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('metrics of other scales and directions', (stage) => {
  const ids = { project: '', baseline: '', candidate: '', bleu: '', toxicity: '' };

  beforeAll(async () => {
    const create = async (path: string, body: object) => {
      const reply = await stage.assay.call('POST', path, body);
      expect(reply.status, reply.text).toBeLessThan(300);
      return reply.body;
    };
    ids.project = (await create('/projects', { name: 'Scales', description: '' })).id;
    const testset = await create(`/projects/${ids.project}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: {} } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const items = Array.from({ length: 12 }, (_, index) => ({
      jsonData: { question: `q${index}` },
    }));
    const testcases = (await create(`/testsets/${testset.id}/testcases`, { items })).items;
    const newMetric = async (body: object) =>
      (await create(`/projects/${ids.project}/metrics`, { evalType: 'heuristic', ...body })).id;
    ids.bleu = await newMetric({ name: 'BLEU', outputType: 'float', min: 0, max: 100 });
    ids.toxicity = await newMetric({ name: 'Toxic', outputType: 'boolean', lowerIsBetter: true });
    const newRun = async (bleu: number, isToxic: boolean) => {
      const run = await create(`/projects/${ids.project}/runs`, {
        testsetId: testset.id,
        metricIds: [ids.bleu, ids.toxicity],
      });
      const records = Array.from(testcases as { id: string; inputs: object }[], (one, index) => ({
        ...{
          testcaseId: one.id,
          inputs: one.inputs,
          expected: {},
          outputs: { answer: `a${index}` },
        },
        scores: [
          { metricId: ids.bleu, score: { value: bleu + index } },
          { metricId: ids.toxicity, score: { value: isToxic } },
        ],
      }));
      await uploadRecords(stage.assay.call, run.id, records);
      return run.id;
    };
    ids.baseline = await newRun(60, false);
    ids.candidate = await newRun(37.2, true);
  });

  test('a run shows its figures on their scale, and values in the colour of their direction', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${ids.project}/runs/${ids.candidate}`);
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText('42.7').first().waitFor();
    await results.getByText('true, less is better').waitFor();
    await visitor.open(
      `/projects/${ids.project}/runs/${ids.candidate}?metricVersionId=${await versionOf(ids.toxicity)}&outcome=fail`,
    );
    await page.getByRole('row').nth(1).getByText('fail').first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('a comparison says which difference is worse, and calls the pairs regressed', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { project, baseline, candidate } = ids;
    await visitor.open(
      `/projects/${project}/compare?baseline=${baseline}&candidate=${candidate}&metric=${ids.toxicity}`,
    );
    await page
      .getByText(/^Worse: .* is 22\.80* lower \(/)
      .first()
      .waitFor();
    await page
      .getByText(/^Worse: .* is 100\.0 points higher, which is worse \(/)
      .first()
      .waitFor();
    const groups = page.getByRole('navigation', { name: 'Groups of testcases' });
    await groups.getByRole('link', { name: 'Regressed 12' }).waitFor();
    await page.getByRole('article').first().getByText('regressed').waitFor();
    await page.getByRole('article').first().getByText('✓ pass → ✗ fail').first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('the form of a metric has the ends and the direction, and a threshold that follows them', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${ids.project}/metrics/${ids.bleu}`);
    const form = page.getByRole('form', { name: 'Metric' });
    await expect.poll(() => form.getByLabel('Greatest value').inputValue()).toBe('100');
    await form.getByLabel('Greatest value').fill('50');
    await expect.poll(() => form.getByLabel('Passes from').inputValue()).toBe('45');
    await form.getByLabel('Better is').selectOption('less');
    await expect.poll(() => form.getByLabel('Passes up to').inputValue()).toBe('5');
    await form.getByLabel('Greatest value').fill('-1');
    await form.getByText(/leaves no scale: it would go from 0 to -1/).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  async function versionOf(metricId: string): Promise<string> {
    const { body } = await stage.assay.call('GET', `/metrics/${metricId}/versions`);
    return body.data[0].id;
  }
});
