import type { MetricSummary } from '@assay/comparison/gate/gate';
import { judge } from '@assay/comparison/gate/rules';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { metricOf, worseMetric } from '../../../shared/comparison/test/comparison.ts';
import { githubAnnotations } from '../../src/gate/formats/github.ts';
import { jsonReport } from '../../src/gate/formats/json.ts';
import { junitReport } from '../../src/gate/formats/junit.ts';
import { markdownComment, markdownReport } from '../../src/gate/formats/markdown.ts';
import { tableReport } from '../../src/gate/formats/table.ts';
import { conclude } from '../../src/gate/report.ts';
import { voice } from '../../src/gate/voice.ts';

const question = {
  baseline: 'run-1',
  candidate: 'run-2',
  metrics: [],
  limits: { maxRegression: 0.02 },
  errors: 'worst' as const,
  level: 0.95,
  anytime: false,
  wait: 0,
  url: 'http://a/v2',
};

const findingOf = (metric: ReturnType<typeof metricOf>) => ({
  name: metric.name,
  metric,
  summary: { passRate: metric.candidateMean } as MetricSummary,
  ...judge({ metric, passBounds: null, limits: question.limits, isHeld: true, voice }),
});

/** What a terminal may obey. */
const steering = /[^\P{Cc}\n]|\p{Cf}/u;
const hostile = '<a b="c">&\'\u0000\u001b[2J\u009b1m\u202e]]>\uffff\ud800\n';

const titleOf = (id: string) => ({
  id,
  name: hostile,
  createdAt: '2026-11-20T10:12:13.000Z',
  system: 'Support bot',
  version: 'Version 3',
  branch: 'main',
  commit: '4f7c2aa0123456789',
});

const report = conclude({
  question,
  outcome: 'worse',
  runs: {
    baseline: titleOf('run-1'),
    candidate: titleOf('run-2'),
    link: 'http://a/projects/p/compare?baseline=run-1&candidate=run-2',
  },
  flips: [
    {
      metricId: metricOf().metricId,
      name: 'Correct answer',
      regressed: 12,
      improved: 10,
      flips: [
        {
          testcaseId: 't1',
          direction: 'regressed',
          baselineValue: true,
          candidateValue: false,
          inputs: `${hostile}::error::obey`,
          expected: '',
          baselineOutputs: `| a | [x](javascript:alert(1)) @everyone https://evil.example ##[error]x ${'w'.repeat(300)}`,
          candidateOutputs: hostile,
        },
      ],
    },
  ],
  findings: [
    metricOf(),
    worseMetric({ name: hostile }),
    metricOf({ name: 'Few', paired: 1, pValue: null, adjustedPValue: null }),
  ].map(findingOf),
  notCompared: [{ name: 'Old', role: 'baseline' }],
  warnings: ['"Correct answer": 3 scores of the candidate run failed.'],
});
const obstructed = conclude({ question, obstacle: 'There is no run run-2.' });

interface Node {
  name: string;
  attributes: Record<string, string>;
  text: string;
  path: string;
}

/** The elements of a document that must be well-formed. */
function parseXml(text: string): Node[] {
  const parser = new SaxesParser();
  const [nodes, open]: [Node[], Node[]] = [[], []];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const node = {
      name,
      attributes: attributes as Record<string, string>,
      text: '',
      path: [...open.map((each) => each.name), name].join('/'),
    };
    nodes.push(node);
    open.push(node);
  });
  parser.on('text', (part) => {
    const node = open.at(-1);
    if (node) node.text += part;
  });
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  return nodes;
}

describe('the conclusion', () => {
  test('is the worst of all metrics, with the reason of the first of these', () => {
    expect(report).toMatchObject({ outcome: 'worse', exitCode: 1 });
    expect(report.reason).toBe(
      `"${hostile}": Worse: the candidate is 10.0 points lower (95 % interval 15.0 to 5.0 lower; adjusted p 0.0020; 200 pairs).`,
    );
    const twice = conclude({
      question,
      outcome: 'worse',
      findings: [worseMetric(), worseMetric({ name: 'Other' })].map(findingOf),
    });
    expect(twice.reason).toMatch(/^"Correct answer": .*\. \(And 1 more metric\.\)$/);
  });

  test('of metrics that pass counts the better ones', () => {
    const findings = [metricOf({ verdict: 'better', difference: 0.1 }), metricOf()].map(findingOf);
    expect(conclude({ question, outcome: 'passed', findings })).toMatchObject({
      exitCode: 0,
      reason: 'Not worse: 1 of 2 metrics better, 1 undecided.',
    });
  });

  test('of an obstacle is that it could not be told', () => {
    expect(obstructed).toMatchObject({
      outcome: 'unknown',
      exitCode: 2,
      reason: 'There is no run run-2.',
    });
  });
});

describe('the table', () => {
  const text = tableReport(report);

  test('has the runs, a row a metric, the remarks and warnings, and the conclusion as its last line', () => {
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^Baseline {3}<a b="c">.*\(run-1\)$/);
    expect(lines[1]).toBe(
      '           2026-11-20 10:12 UTC, Support bot · Version 3, branch main, commit 4f7c2aa01234',
    );
    expect(lines[5]).toMatch(/^METRIC +TESTCASES +BASELINE +CANDIDATE +DIFFERENCE +VERDICT$/);
    expect(lines[6]).toMatch(/^Correct answer +200 +80\.0 % +79\.0 % +−1\.0 +undecided$/);
    expect(lines).toContain(
      '"Correct answer": Undecided: the candidate is −1.0 points (95 % interval −5.0 to +3.0; adjusted p 0.60; 200 pairs). These 200 pairs could have found a difference of 6.0 points.',
    );
    expect(lines).toContain('"Correct answer": 12 regressed, 10 improved.');
    expect(lines).toContain(
      '"Correct answer": a regression of more than 0.02 cannot be excluded: the interval reaches down to -0.05.',
    );
    expect(lines).toContain('"Correct answer": 3 scores of the candidate run failed.');
    expect(lines).toContain('"Correct answer", regressed, the largest 1 of 12:');
    expect(lines.at(-1)).toBe('Outcome: worse (exit 1)');
    expect(tableReport(obstructed)).toBe(
      'Baseline run-1, candidate run-2\n\nOutcome: could not tell (exit 2)\n',
    );
  });

  test('and the texts of testcases fit 80 columns', () => {
    const lines = text.split('\n');
    const texts = lines.filter((line) => /^METRIC|^ {2}(before|after)|^- /.test(line));
    expect(texts).toHaveLength(4);
    expect(
      lines
        .slice(5, 9)
        .concat(texts)
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  test('is aligned, and shows nothing of a name that steers a terminal or the runner of a CI job', () => {
    const rows = text.split('\n').slice(5, 9);
    expect(new Set(rows.map((row) => row.search(/(VERDICT|undecided|worse)$/))).size).toBe(1);
    expect(text).not.toMatch(steering);
    expect(text).not.toMatch(/##\[/);
    const commands = conclude({
      question,
      outcome: 'worse',
      findings: [findingOf(worseMetric({ name: '::add-mask::x' }))],
    });
    expect(tableReport(commands)).not.toMatch(/^\s*::/m);
  });

  test('has colours where they are wanted, and only there', () => {
    const coloured = tableReport(report, { widthMax: 80, isColored: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours.
    expect(coloured.replaceAll(/\u001b\[[0-9;]+m/g, '')).toBe(text);
    expect(coloured).toContain('\u001b[1;31mworse\u001b[0m');
  });
});

describe('Markdown', () => {
  const text = markdownReport(report);

  test('has the outcome, the runs with their versions, a table and what changed most', () => {
    expect(text).toMatch(/^### Worse: the candidate does not pass\n/);
    expect(text).toContain('Support bot · Version 3');
    expect(text).toContain('| Correct answer | 200 | 80&#46;0 &#37; | 79&#46;0 &#37; | −1&#46;0 |');
    expect(text).toMatch(/<details><summary>.*regressed/);
    expect(text).toContain('[The comparison in the console](http://a/projects/p/compare?');
    expect(markdownReport(obstructed)).toBe(
      '### Could not tell\n\nThere is no run run&#45;2&#46;\n\nBaseline <code>run&#45;1</code>, candidate <code>run&#45;2</code>\n',
    );
  });

  test('shows every text as it is: no markup, link, mention or column of it', () => {
    const ours = text
      .replaceAll(/<\/?(details|summary|code)>|^### |^- \*\*\w+\*\*|^\[.*\]\(http:\S+\)$/gm, '')
      .replaceAll(/^\| .* \|$/gm, (row) => row.replaceAll(/(^\| | \| | \|$|---:?)/g, ''));
    expect(ours.replaceAll(/&#\d+;|^- /gm, '')).not.toMatch(/[<>[\]`*_|@\\]/);
    expect(text).not.toMatch(/@(?!\u200b)|https?:\/\/evil/);
    const rows = text.split('\n').filter((line) => /^\| (Inputs|---|&#60;|<code>)/.test(line));
    for (const line of rows.slice(-3)) expect(line.split(' | ')).toHaveLength(4);
    expect(text.replaceAll('\u200b', '')).not.toMatch(steering);
  });
});

describe('a boolean of which less is better', () => {
  const metric = metricOf({ name: 'Hall', lowerIsBetter: true });
  const flip = {
    ...{ testcaseId: 't1', inputs: '1?', expected: '', candidateOutputs: 'no' },
    ...{ direction: 'improved' as const, baselineValue: true, candidateValue: false },
    baselineOutputs: 'made up',
  };
  const improved = conclude({
    question,
    outcome: 'passed',
    findings: [findingOf(metric)],
    flips: [
      {
        metricId: metric.metricId,
        name: 'Hall',
        lowerIsBetter: true,
        regressed: 0,
        improved: 1,
        flips: [flip],
      },
    ],
  });

  test('passes where it is false, in every format', () => {
    expect(tableReport(improved)).toContain('  before    fail: made up\n  after     pass: no\n');
    const row = '| <code>1&#63;</code> |  | fail <code>made up</code> | pass <code>no</code> |';
    expect(markdownReport(improved)).toContain(row);
    expect(markdownComment(improved)).toContain(
      '| Hall | <code>1&#63;</code> | fail <code>made up</code> | pass <code>no</code> |',
    );
    const [said] = parseXml(junitReport(improved)).filter(({ name }) => name === 'system-out');
    expect(said!.text).toContain('improved: 1?: fail (made up) → pass (no)');
  });
});

describe('annotations of GitHub', () => {
  test('are an error for each metric that does not pass, on one line that names cannot leave', () => {
    const lines = githubAnnotations(report).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^::error title=Assay%3A <a b="c">[^:,]*::Worse: the candidate is 10\.0 points lower /,
    );
    expect(lines[1]).toMatch(/^::error title=Assay%3A Few could not be told::only one testcase/);
    expect(githubAnnotations(report)).not.toMatch(steering);
    expect(githubAnnotations(obstructed)).toBe(
      '::error title=Assay%3A could not tell::There is no run run-2.\n',
    );
  });

  test('are a notice where it passes', () => {
    const findings = [findingOf(metricOf())];
    const passed = conclude({ question, outcome: 'passed', findings });
    expect(githubAnnotations(passed)).toBe(
      '::notice title=Assay%3A passed::Not worse: 0 of 1 metric better, 1 undecided.\n',
    );
  });
});

describe('JUnit XML', () => {
  const text = junitReport(report);
  const nodes = parseXml(text);
  const of = (name: string) => nodes.filter((node) => node.name === name);

  test('has a testcase a metric: a failure for worse, an error for what could not be told, skipped for what one run has', () => {
    expect(of('testcase').map(({ attributes }) => attributes.classname)).toEqual(
      Array(4).fill('assay.gate'),
    );
    expect(
      nodes
        .filter(({ path }) => /testcase\/(failure|error|skipped)$/.test(path))
        .map(({ name }) => name),
    ).toEqual(['failure', 'error', 'skipped']);
    for (const name of ['testsuites', 'testsuite'])
      expect(of(name)[0]!.attributes).toMatchObject({
        tests: '4',
        failures: '1',
        errors: '1',
        skipped: '1',
      });
    expect(of('failure')[0]!.attributes.message).toMatch(
      /^Worse: the candidate is 10\.0 points lower/,
    );
    expect(of('system-out')[0]!.text).toContain(
      '80.0 % → 79.0 %. Undecided: the candidate is −1.0 points (95 % interval −5.0 to +3.0; adjusted p 0.60; 200 pairs)',
    );
    expect(of('system-err')[0]!.text).toContain('3 scores');
  });

  test('holds every name that there can be, without what XML cannot hold', () => {
    expect(of('testcase')[1]!.attributes.name).toBe(
      '<a b="c">&\'\ufffd\ufffd[2J\u009b1m\u202e]]>\ufffd\ufffd\n',
    );
    expect(text).not.toMatch(steering);
  });

  test('of an obstacle is one error', () => {
    const [error] = parseXml(junitReport(obstructed)).filter(({ name }) => name === 'error');
    expect(error).toMatchObject({
      path: 'testsuites/testsuite/testcase/error',
      text: 'There is no run run-2.',
    });
  });
});

describe('JSON', () => {
  test('has the comparison of each metric, the outcome, and the reasons', () => {
    const parsed = JSON.parse(jsonReport(report));
    expect(parsed).toMatchObject({
      outcome: 'worse',
      exitCode: 1,
      baselineRunId: 'run-1',
      candidateRunId: 'run-2',
      limits: { maxRegression: 0.02 },
    });
    expect(parsed.metrics[0]).toMatchObject({
      name: 'Correct answer',
      pValue: 0.6,
      outcome: 'passed',
      reasons: [],
      candidatePassRate: 0.79,
    });
    expect(parsed.metrics.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'passed',
      'worse',
      'unknown',
    ]);
    expect(parsed.notCompared).toEqual([{ name: 'Old', role: 'baseline' }]);
  });

  test('gives names back as they are, and steers no terminal with them', () => {
    const text = jsonReport(report);
    expect(JSON.parse(text).metrics[1].name).toBe(hostile);
    expect(text).not.toMatch(steering);
  });
});
