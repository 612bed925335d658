import { createClient } from '@assay/client/client';
import { poll } from '@assay/testing/poll';
import { beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { tellComparisons } from '../src/comparing.ts';
import { evaluate } from '../src/evaluation.ts';
import { ingredientTask, readingView } from '../src/ingredients/task.ts';

let assay: SharedInstallation;
beforeAll(async () => {
  assay = await shareInstallation();
});

test('each version of the demo is compared with the one before it, with p-values, verdicts and flips, and each answer has its trace', async () => {
  const client = createClient({ url: `${assay.url}/v2`, key: assay.key });
  const task = ingredientTask();
  // Three lines of each topic.
  const evaluation = { ...task, testcases: task.testcases.filter((_, index) => index % 5 === 0) };
  const { projectId, versions } = await evaluate({
    client,
    otlp: createClient({ url: `${assay.url}/otel`, key: assay.key }),
    evaluation,
    at: new Date(),
    onProgress: () => undefined,
  });
  const lines = await tellComparisons({ client, versions, view: readingView, flipsOf: 2 });
  const headings = lines.filter((line) => / → /.test(line));
  expect(headings).toEqual(['v1 first number → v2 pattern', 'v2 pattern → v3 normalizing']);
  const compared = lines.filter((line) => /(better|worse|undecided)$/.test(line));
  const rows = compared.filter((line) => !line.startsWith('errors '));
  expect([rows.length, compared.length]).toEqual([6, 8]);
  for (const row of rows)
    expect(row).toMatch(/ (< 0\.0001|[01]\.\d+) +(< 0\.0001|[01]\.\d+) +\d+ +\d+ +\w+( alone\))?/);
  const [improved, regressed] = /^Every field right .* (\d+) +(\d+) +better$/
    .exec(rows[3]!)!
    .slice(1);
  expect(lines).toContain(
    `"Every field right" from v2 pattern to v3 normalizing: ${improved} improved, ${regressed} regressed. For example:`,
  );
  const flips = lines.slice(lines.findIndex((line) => / LINE /.test(line)) + 1);
  expect(flips.filter((line) => line.startsWith('improved')).length).toBeGreaterThan(1);
  expect(flips.filter((line) => line.startsWith('regressed')).join('\n')).toMatch(
    /\d,\d{3} g .* [12]\.\d+ g · /,
  );

  const records = (await assay.call('GET', `/runs/${versions[2]!.runId}/records?limit=100`)).body;
  const { otelLinkId, inputs } = records.data[0];
  const path = `/projects/${projectId}/traces`;
  // What its spans say is in a trace once it is settled.
  const linked = await poll('the trace of the record is settled', async () => {
    const { data } = (await assay.call('GET', `${path}?linkId=${otelLinkId}&settled=true`)).body;
    return data.length > 0 && data;
  });
  expect(linked).toMatchObject([
    {
      name: 'answer',
      numSpans: 2,
      isProjectGuessed: false,
      models: ['normalizing'],
      inputPreview: inputs.line,
      metadata: { version: 'v3 normalizing' },
    },
  ]);
  expect(linked[0].outputTokens).toBeGreaterThan(2);
  const { data, nextCursor } = (await assay.call('GET', `${path}?limit=100`)).body;
  const rest = (await assay.call('GET', `${path}?limit=100&cursor=${nextCursor}`)).body;
  expect(data.length + rest.data.length).toBe(144);
});
