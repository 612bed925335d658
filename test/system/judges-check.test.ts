import { createClient } from '@assay/client/client';
import { describeJudgeTemplates } from '@assay/judge-templates/describe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JudgeAgreement, measureJudges } from '../../examples/src/judges/agreement.ts';
import {
  type LabelledRecord,
  listLabelledTemplates,
  readLabelledRecords,
} from '../../examples/src/judges/labelled-records.ts';
import { agreementHead, agreementRow, explainAgreement } from '../../examples/src/judges/report.ts';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { type Installation, startInstallation } from './installation.ts';

const templates = describeJudgeTemplates();
const names = await listLabelledTemplates();
const labelled = new Map<string, LabelledRecord[]>();
for (const name of names) labelled.set(name, await readLabelledRecords(name));

const toldToTheJudge: string[] = [];
let assay: Installation;
let providers: MockProviders;
beforeAll(async () => {
  providers = await startMockProviders(({ body }) =>
    answerOf(body.messages.at(-1).content as string),
  );
  assay = await startInstallation({
    scoring: providers.config({ ANTHROPIC_API_KEY: undefined }),
  });
});
afterAll(async () => {
  await assay?.stop();
  await providers?.stop();
});

/** The texts of a record that its judge is shown; an empty one may be told in other words. */
const textsOf = ({ inputs, outputs }: LabelledRecord) =>
  [...Object.values(inputs), ...Object.values(outputs)].filter(
    (value) => typeof value === 'string' && value !== '',
  );

/** Says what the label says, but errs on the first record of each judge, towards passing or 5. */
function answerOf(prompt: string) {
  const { name, outputType } = templates.find(({ promptTemplate }) =>
    prompt.startsWith(promptTemplate.split('\n\n')[1]!),
  )!;
  const records = labelled.get(name)!;
  const shown = records.filter((record) =>
    textsOf(record).every((text) => prompt.includes(`>${text}</`)),
  );
  const record = shown.toSorted((a, b) => textsOf(b).join().length - textsOf(a).join().length)[0]!;
  if (prompt.includes(record.why)) toldToTheJudge.push(record.why);
  const isWrong = record === records[0];
  const reasoning = isWrong ? 'I was\nmistaken.' : 'As the label says.';
  if (outputType === 'int') return say({ reasoning, intScore: isWrong ? 1 : record.label });
  return say({ reasoning, binaryScore: isWrong ? !record.label : record.label });
}

const clientOf = () => createClient({ url: `${assay.url}/v2`, key: assay.key });

test('every ready-made judge has 12 to 20 records with labels of every kind, one of which speaks to the judge', () => {
  expect(names).toEqual(templates.map(({ name }) => name).toSorted());
  for (const { name, outputType } of templates) {
    const records = labelled.get(name)!;
    expect(records.length).toBeGreaterThanOrEqual(12);
    expect(records.length).toBeLessThanOrEqual(20);
    const outcomes: unknown[] = outputType === 'boolean' ? [true, false] : [1, 2, 3, 4, 5];
    expect(new Set<unknown>(records.map(({ label }) => label))).toEqual(new Set(outcomes));
    expect(records.map(({ why }) => why).join(' ')).toMatch(/speaks to the judge/);
    for (const { why, label } of records.filter(({ why }) => why.includes('to the judge')))
      expect([false, 1], why).toContain(label);
  }
});

test('npm run judges:check counts how often each judge says what the label says, and shows where it does not', async () => {
  const found: JudgeAgreement[] = [];
  const { projectId } = await measureJudges({
    client: clientOf(),
    model: 'openai/gpt-4o-mini',
    templates: names,
    projectName: 'Judges',
    onAgreement: (agreement) => found.push(agreement),
  });
  expect(found.map(({ template }) => template)).toEqual(names);
  for (const { template, records, agreed, kappa, disagreements, failures } of found) {
    const all = labelled.get(template)!;
    expect([template, records, agreed, failures]).toEqual([
      template,
      all.length,
      all.length - 1,
      [],
    ]);
    expect(disagreements.map(({ record }) => record)).toEqual([all[0]]);
    expect(kappa).toBeGreaterThan(0.5);
    expect(kappa).toBeLessThan(1);
  }
  const tone = found.find(({ template }) => template === 'tone')!;
  expect([agreementHead, agreementRow(tone)]).toEqual([
    expect.stringMatching(/^JUDGE +AGREES +KAPPA +TOO MILD +TOO HARD +FAILED$/),
    expect.stringMatching(/^tone +12 of 13 +0\.\d\d +0 +1 +0$/),
  ]);
  expect(explainAgreement(tone).join('\n')).toContain(
    'tone: the judge says 1, the label 5\n  answer  I am sorry',
  );
  expect(explainAgreement(tone)).toContain('  judge   I was mistaken.');
  expect(toldToTheJudge, 'reasons of labels').toEqual([]);
  const metrics = (await assay.call('GET', `/projects/${projectId}/metrics`)).body.data;
  expect(metrics).toHaveLength(names.length);
});

test('without a key of the provider, npm run judges:check says in one sentence what to set, and leaves nothing behind', async () => {
  const before = (await assay.call('GET', '/projects')).body.data;
  const checked = measureJudges({
    client: clientOf(),
    model: 'anthropic/claude-sonnet-4-5',
    templates: ['tone'],
    projectName: 'Judges',
    onAgreement: () => expect.fail('nothing can be measured'),
  });
  await expect(checked).rejects.toThrow(
    /^No provider is configured for the model anthropic\/claude-sonnet-4-5: set ANTHROPIC_API_KEY/,
  );
  expect((await assay.call('GET', '/projects')).body.data).toEqual(before);
});
