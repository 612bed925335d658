import { poll } from '@assay/testing/poll';
import { afterAll, expect, test } from 'vitest';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { uploadRecords } from '../system/records.ts';
import { describeInBrowser } from './browser.ts';
import { signInLink } from './sign-in-link.ts';

let judges: MockProviders;

/** A judge to whom any amount is usable, until it is told to compare amounts. */
async function startJudges() {
  judges = await startMockProviders(({ body }) => {
    const prompt = JSON.stringify(body);
    const isWrong = prompt.includes('the amount must be right') && prompt.includes('1.4');
    return say({ reasoning: isWrong ? 'Far too little.' : 'Usable.', binaryScore: !isWrong });
  });
  return judges.config();
}

/** Ingredient lines: the newer version reads a comma as a decimal point. */
const lines = Array.from({ length: 24 }, (_, index) =>
  index < 4
    ? { line: `1,400 g of item ${index}`, quantity: 1400, v2: 1400, v3: 1.4 }
    : {
        line: `${index} g of item ${index}`,
        quantity: index,
        v2: index % 2 ? index : 0,
        v3: index,
      },
);

describeInBrowser(
  'a new user',
  (stage) => {
    afterAll(() => judges?.stop());

    const call = async (...request: Parameters<typeof stage.assay.call>) => {
      const reply = await stage.assay.call(...request);
      expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
      return reply.body;
    };

    /** A project as the demo makes it: two versions, compared by a rule and by a judge. */
    async function makeDemo() {
      const project = await call('POST', '/projects', { name: 'Demo', description: '' });
      const inProject = `/projects/${project.id}`;
      const testset = await call('POST', `${inProject}/testsets`, {
        name: 'Ingredient lines',
        description: '',
        jsonSchema: {},
        fieldMapping: { inputs: ['line'], expected: ['quantity'], metadata: [] },
      });
      const { items } = await call('POST', `/testsets/${testset.id}/testcases`, {
        items: lines.map(({ line, quantity }) => ({ jsonData: { line, quantity } })),
      });
      const metrics = [
        {
          name: 'Every field right',
          evalType: 'heuristic',
          outputType: 'boolean',
          builtin: { name: 'json_equal', options: { output: '', expected: '' } },
        },
        {
          name: 'Usable for a cook',
          evalType: 'ai',
          outputType: 'boolean',
          evalModelName: 'openai/gpt-4o',
          guidelines: 'A cook can work with the reading.',
          promptTemplate: '{{ guidelines }} Reading: {{ outputs.quantity }}',
        },
      ];
      const metricIds: string[] = [];
      for (const metric of metrics)
        metricIds.push((await call('POST', `${inProject}/metrics`, metric)).id);
      const runIds: string[] = [];
      for (const version of ['v2', 'v3'] as const) {
        const run = await call('POST', `${inProject}/runs`, {
          name: version,
          testsetId: testset.id,
          metricIds,
        });
        const records = lines.map((line, index) => {
          const { id: testcaseId, inputs, expected } = items[index];
          return { testcaseId, inputs, expected, outputs: { quantity: line[version] } };
        });
        await uploadRecords(stage.assay.call, run.id, records);
        await poll(
          'the run is completed',
          async () => (await call('GET', `/runs/${run.id}`)).status === 'completed',
        );
        runIds.push(run.id);
      }
      const [baseline, candidate] = runIds as [string, string];
      const path = `${inProject}/compare?baseline=${baseline}&candidate=${candidate}&show=regressed`;
      return { candidate, path };
    }

    test('finds why a version lost testcases, tags them, has some reviewed, changes the judge and shares it, by the pages alone', async () => {
      const { candidate, path } = await makeDemo();
      const email = (await call('GET', '/members')).data[0].email;
      await using visitor = await stage.visit({ key: null });
      const { page } = visitor;
      await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);

      // The link that is printed leads to the comparison.
      const link = new URL(await signInLink(stage.assay, email), stage.assay.url);
      link.searchParams.set('to', path);
      await visitor.open(`${link.pathname}${link.search}${link.hash}`);
      await page.getByText('Regressed 4').waitFor();
      const pairs = page.getByRole('article');
      await pairs.first().getByText('1,400 g of item 0').waitFor();
      await pairs.first().getByText('The output differs at "/quantity".').waitFor();

      for (const index of [0, 1, 2]) {
        await pairs.nth(index).getByRole('button', { name: 'Tag “discuss”' }).click();
        await pairs.nth(index).getByText('✓ tagged').waitFor();
      }
      await pairs.first().getByRole('link', { name: '“discuss”' }).click();
      await page.getByRole('heading', { level: 1, name: 'v3' }).waitFor();
      await expect.poll(() => page.getByRole('link', { name: /1,400 g of item/ }).count()).toBe(3);

      // Nobody has been asked yet: the review makes its own metric, for twenty records.
      await page.getByRole('button', { name: 'Review', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('Would you cook with it?');
      await dialog.getByLabel('Guidelines').fill('Pass if the dish would come out right.');
      await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe('20');
      await dialog.getByRole('button', { name: 'Start the review' }).click();
      await page.getByText('20 records assigned to 1 member.').waitFor();
      expect(await call('GET', `/runs/${candidate}`)).toMatchObject({
        status: 'awaiting_human_scoring',
        scoring: { expected: 68, scored: 48, failed: 0, pending: 20 },
      });
      await page.getByRole('link', { name: 'Start reviewing mine' }).click();
      await page.getByText('Pass if the dish would come out right.').waitFor();
      await page
        .getByRole('region', { name: 'Outputs', exact: true })
        .getByText(/\d/)
        .first()
        .waitFor();
      await page.keyboard.press('1');
      await page.keyboard.press('Enter');
      await expect
        .poll(async () => (await call('GET', `/runs/${candidate}`)).scoring.scored)
        .toBe(49);

      // Back to the comparison, and from there to the judge.
      await visitor.open(path);
      await page.getByRole('link', { name: 'How it scores Usable for a cook' }).click();
      await page.getByRole('heading', { level: 1, name: 'Usable for a cook' }).waitFor();
      await page.getByLabel('Guidelines').fill('For a cook the amount must be right.');
      await page.getByRole('button', { name: 'Preview on 50' }).click();
      await page.getByText('Of 24 records, 4 records would pass or fail otherwise').waitFor();
      const flips = page.getByRole('region', { name: 'Passed, would fail' });
      await expect.poll(() => flips.getByRole('listitem').count()).toBe(4);
      await page.getByRole('button', { name: 'Save as version 2' }).click();
      await page.getByText('Saved as version 2.').waitFor();

      await page.goBack();
      await page.getByText('Regressed 4').waitFor();
      await page.getByRole('button', { name: 'Copy link' }).click();
      await expect
        .poll(() => page.evaluate('navigator.clipboard.readText()'))
        .toBe(`${new URL(stage.assay.url).origin}${path}`);
      expect(visitor.complaints).toEqual([]);
    });

    test('adds a metric to a run whose results are there, and reads first who scores it and at what price', async () => {
      const { candidate, path } = await makeDemo();
      const inProject = path.slice(0, path.indexOf('/compare'));
      const metric = (name: string, body: object) =>
        call('POST', `${inProject}/metrics`, { name, outputType: 'boolean', ...body });
      await metric('By people', { evalType: 'human' });
      await metric('By a judge', {
        evalType: 'ai',
        evalModelName: 'openai/gpt-4o',
        promptTemplate: 'Is {{ outputs.quantity }} right?',
      });
      await using visitor = await stage.visit();
      const { page } = visitor;
      // The results are still being read when the metrics join: they are read again.
      let arrive: () => void = () => undefined;
      const arriving = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      await page.route(
        '**/summary*',
        async (route) => {
          const response = await route.fetch();
          await arriving;
          await route.fulfill({ response }).catch(() => undefined);
        },
        { times: 1 },
      );
      await visitor.open(`${inProject}/runs/${candidate}`);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Add metrics …' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/AI judge.*gpt-4o.*A million tokens: \$2\.50 in/).waitFor();
      expect(await dialog.getByText('Every field right').count()).toBe(0);
      await dialog.getByRole('checkbox', { name: /^By people/ }).check();
      await dialog.getByText('People are asked for 24 records.', { exact: false }).waitFor();
      await dialog.getByRole('checkbox', { name: /^By a judge/ }).check();
      await dialog.getByRole('button', { name: 'Add 2 metrics' }).click();
      await poll(
        'the judge has scored',
        async () => (await call('GET', `/runs/${candidate}`)).scoring.scored === 3 * 24,
      );
      arrive();
      await dialog.waitFor({ state: 'detached' });
      expect((await call('GET', `/runs/${candidate}`)).status).toBe('awaiting_human_scoring');
      await page.getByRole('main').getByRole('link', { name: 'Review', exact: true }).click();
      await page.getByText('24 for you').waitFor();
      expect(visitor.complaints).toEqual([]);
    });
  },
  { options: async () => ({ scoring: await startJudges() }) },
);
