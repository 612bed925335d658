import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { both, createProjectIn, script } from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';

/**
 * Scorers whose scale is not 0 to 1 and of which less is better, in the hands of the users of both
 * packages and of the command line.
 */
const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

let assay: SharedInstallation;
let clients: Clients;

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages });
});
afterAll(() => clients[Symbol.asyncDispose]());

const command = (...words: string[]) => clients.command(['node_modules/.bin/assay', ...words]);

/** A script whose scorers give each testcase these values, plus a little by its question. */
const scored = (language: Language, project: string, bleu: number, toxicity: number) =>
  script(language, project, {
    more: both(
      `scores: {
        BLEU: { scorer: ({ inputs }) => ${bleu} + Number(inputs.question.slice(1)) / 10, min: 0, max: 100 },
        Toxicity: ({ inputs }) => ({ score: ${toxicity} + Number(inputs.question.slice(1)) / 1000, lowerIsBetter: true }),
      },`,
      `scores={
        "BLEU": assay.scorer(lambda inputs: ${bleu} + int(inputs["question"][1:]) / 10, min=0, max=100),
        "Toxicity": lambda inputs: assay.Score(${toxicity} + int(inputs["question"][1:]) / 1000, lower_is_better=True),
      },`,
    ),
  });

describe.each(languages)('BLEU from 0 to 100 and toxicity, in %s', (language) => {
  test('are metrics of their scales, whose verdicts follow the direction in every face', async () => {
    const name = `${language} scales`;
    const project = await createProjectIn(assay, name);
    const first = await clients.run(language, scored(language, name, 60, 0.02));
    expect(first.code, first.stderr).toBe(0);
    const worse = await clients.run(language, scored(language, name, 37.2, 0.3));
    expect(worse.code, worse.stderr).toBe(0);
    expect(worse.stdout).toMatch(/^BLEU +24 +61\.150 +38\.350 +−22\.800 +worse$/m);
    expect(worse.stdout).toMatch(/^"BLEU": Worse: this run is 22\.80* lower \(/m);
    expect(worse.stdout).toMatch(
      /^"Toxicity": Worse: this run is 0\.280* higher, which is worse \(/m,
    );

    const { data } = (await assay.call('GET', `/projects/${project.id}/metrics`)).body;
    const metricOf = (wanted: string) =>
      data.find((metric: { name: string }) => metric.name === wanted);
    expect(metricOf('BLEU')).toMatchObject({
      ...{ outputType: 'float', min: 0, max: 100, passingThreshold: 90 },
    });
    expect(metricOf('Toxicity')).toMatchObject({ lowerIsBetter: true, passingThreshold: 0.1 });

    const [bad, good] = await poll('both runs are completed', async () => {
      const runs = await project.runs();
      return runs.length === 2 && runs;
    });
    const { metrics } = (await assay.call('GET', `/runs/${good!.id}/summary`)).body;
    const toxicity = metrics.find((metric: { name: string }) => metric.name === 'Toxicity');
    expect(toxicity).toMatchObject({ lowerIsBetter: true, passRate: 1 });

    const gate = (baseline: string, candidate: string, ...more: string[]) =>
      command('gate', '--baseline', baseline, '--candidate', candidate, ...more);
    const refused = await gate(good!.id, bad!.id, '--metric', 'Toxicity');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^"Toxicity": Worse: the candidate is 0\.280* higher, which is worse /),
    ]);
    const passed = await gate(bad!.id, good!.id, '--metric', 'Toxicity', '--metric', 'BLEU');
    expect(passed.code, passed.stderr).toBe(0);

    const changed = await assay.call('PATCH', `/metrics/${metricOf('BLEU').id}`, {
      ...{ evalType: 'heuristic', outputType: 'float', max: 50 },
    });
    expect(changed.status).toBe(200);
    const third = await clients.run(
      language,
      script(language, name, {
        more: both('scores: { BLEU: () => 20 },', 'scores={"BLEU": lambda: 20},'),
      }),
    );
    expect(third.code, third.stderr).toBe(0);
    expect(third.stdout).toContain('whose versions cannot be compared');
    const [newest] = await project.runs();
    const incomparable = await gate(good!.id, newest!.id, '--metric', 'BLEU');
    expect([incomparable.code, incomparable.stderr]).toEqual([
      2,
      expect.stringContaining(
        'the metric "BLEU", whose versions cannot be compared: they have max 100 in the baseline and 50 in the candidate',
      ),
    ]);
  });

  test('end the evaluation where the scale is not named, and make no run', async () => {
    const name = `${language} unnamed scale`;
    const project = await createProjectIn(assay, name);
    const more = both('scores: { BLEU: () => 37.2 },', 'scores={"BLEU": lambda: 37.2},');
    const ended = await clients.run(language, script(language, name, { more }));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^The scorer "BLEU" returned 37\.2\. .* Name its scale: scores/m);
    expect(await project.runs()).toEqual([]);
  });
});
