import { type ComparedMetric, figure, unitOf } from '@assay/comparison/figures';
import type { ErrorsFinding, MetricFinding } from '@assay/comparison/gate/gate';
import { verdictSentence } from '@assay/comparison/sentence';
import type { Flip } from '../flips.ts';
import type { Report } from '../report.ts';
import type { RunTitle } from '../run-titles.ts';
import { descriptionOf, errorsOfFirstRun, scoreText, titleOf } from './words.ts';

interface Testcase {
  name: string;
  /** Undefined if the testcase passed. */
  result?: { kind: 'failure' | 'error' | 'skipped'; type: string; sentences: string[] };
  said?: string;
}

/**
 * The report for CI: JUnit XML with one testcase per metric, and one of errors. Worse is a failure, unknown is an
 * error, a metric of one run only is skipped.
 */
export function junitReport(report: Report): string {
  const { outcome, reason, question, runs, whyFirst, findings, errors, flips } = report;
  const { notCompared, warnings } = report;
  const skipped = notCompared.map(({ name, role }): Testcase => {
    const sentences = [`Only the ${role} run has it.`];
    return { name, result: { kind: 'skipped', type: 'skipped', sentences } };
  });
  const obstacle: Testcase = {
    name: 'comparison',
    result: { kind: 'error', type: outcome, sentences: [reason] },
  };
  const flipsOf = ({ metric }: MetricFinding) =>
    flips.find(({ metricId }) => metricId === metric?.metricId)?.flips ?? [];
  const tested = findings.map((finding) => testcaseOf(finding, flipsOf(finding)));
  const ofErrors = errors ? [testcaseOfErrors(errors, errorsOfFirstRun(report))] : [];
  const testcases =
    findings.length > 0 || whyFirst !== undefined
      ? [...tested, ...ofErrors, ...skipped]
      : [obstacle];
  const counts = countsOf(testcases);
  const properties = {
    baseline: runs?.baseline ? inWords(runs.baseline) : question.baseline,
    candidate: runs ? inWords(runs.candidate) : question.candidate,
    ...(runs?.link === undefined ? {} : { link: runs.link }),
    outcome,
    reason,
  };
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'assay', ...counts })}>`,
    `  <testsuite${attributes({ name: 'assay.gate', ...counts })}>`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([name, value]) => `      <property${attributes({ name, value })}/>`,
    ),
    '    </properties>',
    ...testcases.flatMap(drawTestcase),
    ...(warnings.length > 0
      ? [`    <system-err>${escaped(warnings.join('\n'))}</system-err>`]
      : []),
    '  </testsuite>',
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

const inWords = (run: RunTitle): string => `${titleOf(run)}, ${descriptionOf(run)}`;

function testcaseOf(
  { name, metric, outcome, reasons, remarks, lacking }: MetricFinding,
  flips: Flip[],
): Testcase {
  const said = [
    ...(metric
      ? [
          comparedInWords(metric),
          `${metric.improved} improved, ${metric.regressed} regressed, ${metric.unchanged} unchanged`,
        ]
      : []),
    ...remarks,
    ...lacking,
    ...flips.map(
      ({ direction, inputs, baselineValue, baselineOutputs, candidateValue, candidateOutputs }) =>
        `${direction}: ${inputs}: ${scoreText(baselineValue, metric ?? {})} (${baselineOutputs}) → ${scoreText(candidateValue, metric ?? {})} (${candidateOutputs})`,
    ),
  ].join('\n');
  return { name, said, ...resultOf({ outcome, reasons }) };
}

/** The sentences on a first run tell its errors, which are compared with no other's. */
function testcaseOfErrors(
  { errors, outcome, reasons }: ErrorsFinding,
  ofFirstRun: string[],
): Testcase {
  const said = errors ? [comparedInWords(errors)] : ofFirstRun;
  return {
    name: 'errors',
    ...(said.length > 0 ? { said: said.join('\n') } : {}),
    ...resultOf({ outcome, reasons }),
  };
}

function comparedInWords(metric: ComparedMetric): string {
  const unit = unitOf(metric);
  const { baselineMean, candidateMean, difference } = metric;
  const side = (mean: number | null) => figure(unit, mean, null, difference);
  return `${side(baselineMean)} → ${side(candidateMean)}. ${verdictSentence(metric, 'the candidate')}`;
}

function resultOf({
  outcome,
  reasons,
}: Pick<ErrorsFinding, 'outcome' | 'reasons'>): Pick<Testcase, 'result'> {
  if (outcome === 'passed') return {};
  const kind = outcome === 'worse' ? 'failure' : 'error';
  return { result: { kind, type: outcome, sentences: reasons } };
}

function countsOf(testcases: Testcase[]) {
  const count = (kind: string) => testcases.filter(({ result }) => result?.kind === kind).length;
  return {
    tests: testcases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: 0,
  };
}

function drawTestcase({ name, result, said }: Testcase): string[] {
  return [
    `    <testcase${attributes({ classname: 'assay.gate', name, time: 0 })}>`,
    ...(result ? [`      ${drawResult(result)}`] : []),
    ...(said === undefined ? [] : [`      <system-out>${escaped(said)}</system-out>`]),
    '    </testcase>',
  ];
}

function drawResult({ kind, type, sentences }: NonNullable<Testcase['result']>): string {
  const [message = ''] = sentences;
  if (kind === 'skipped') return `<skipped${attributes({ message })}/>`;
  return `<${kind}${attributes({ message, type })}>${escaped(sentences.join('\n'))}</${kind}>`;
}

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(
      ([name, value]) => ` ${name}="${escaped(String(value)).replaceAll(/[\t\n\r]/g, reference)}"`,
    )
    .join('');

/**
 * Replaces characters that XML 1.0 cannot hold (section 2.2, Char). Writes characters that a
 * terminal may obey as references, and all that mean something in XML: with every `>` there is no
 * `]]>`.
 */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll(/[&<>"'\u007f-\u009f]|\p{Cf}/gu, reference);

const reference = (sign: string): string => `&#${sign.codePointAt(0)};`;
