import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison } from '@assay/comparison/figures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerInProcess } from '../../cli/test/gate/in-process.ts';
import { runInProcess } from '../../cli/test/in-process.ts';
import { type Agent, connectAgent } from '../../mcp/test/agent.ts';
import type { MockProviders } from '../../services/scoring/test/mock-providers.ts';
import { describeInBrowser, type Visitor } from '../console/browser.ts';
import { root } from '../imports.ts';
import {
  type AccidentRuns,
  candidateName,
  makeAccidents,
  startFailingJudge,
} from './accident-runs.ts';
import { accidentLines, accidents, type SummaryTold } from './accidents.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';

const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

test('the table of accidents in docs/reading-a-comparison.md is the one that is walked here', () => {
  const lines = readFileSync(join(root, 'docs/reading-a-comparison.md'), 'utf8').split('\n');
  const walked = accidentLines();
  const first = lines.indexOf(walked[0]!);
  const end = lines.findIndex((line, place) => place > first && !line.startsWith('|'));
  expect(lines.slice(first, end)).toEqual(walked);
});

let judge: MockProviders | undefined;

/** As long as a test may take: 27 evaluations are made before the first one. */
const hookTimeoutMs = 600_000;

describeInBrowser(
  'an accident on half of the testcases',
  (stage) => {
    let clients: Clients;
    let agent: Agent;
    let visitor: Visitor;
    let made: AccidentRuns[];
    beforeAll(async () => {
      const { assay } = stage;
      clients = await installClients({ url: assay.url, key: assay.key, languages });
      made = await makeAccidents(assay.call, clients, languages);
      agent = await connectAgent(assay);
      visitor = await stage.visit();
    }, hookTimeoutMs);
    afterAll(async () => {
      await visitor?.[Symbol.asyncDispose]();
      await agent?.[Symbol.asyncDispose]();
      await clients?.[Symbol.asyncDispose]();
      await judge?.stop();
    });

    const summaryOf = async (runId: string) =>
      (await stage.assay.call('GET', `/runs/${runId}/summary`)).body;

    async function toldByAgent(runs: Record<string, string>): Promise<string> {
      const { summary, warnings } = await agent.call('compare_runs', runs);
      return [summary, ...warnings.map(({ message }: { message: string }) => message)].join('\n');
    }

    async function toldByConsole({
      projectId,
      baselineRunId,
      candidateRunId,
    }: AccidentRuns): Promise<string> {
      const { page } = visitor;
      const query = `baseline=${baselineRunId}&candidate=${candidateRunId}`;
      await visitor.open(`/projects/${projectId}/compare?${query}`);
      await page.getByRole('heading', { level: 2, name: 'Right', exact: true }).waitFor();
      return (await page.locator('main').textContent()) ?? '';
    }

    test.each(accidents)('$what: every face says the same', async (accident) => {
      const runs = made.find((each) => each.accident === accident)!;
      const { baselineRunId, candidateRunId } = runs;
      const { comparison: told, gate } = accident;

      expect(summaryTold(await summaryOf(candidateRunId))).toEqual(accident.summary);

      const ids = { baselineRunId, candidateRunId };
      const { body: comparison } = await stage.assay.call('POST', '/comparisons', ids);
      const [metric] = comparison.metrics;
      expect([metric.verdict, metric.paired]).toEqual([told.verdict, told.pairs]);
      const warnings = [...(metric.warnings ?? []), ...(comparison.warnings ?? [])];
      expect(warnings.map(({ code }) => code)).toEqual(told.warnings);

      const sides = ['--baseline', baselineRunId, '--candidate', candidateRunId];
      const gated = await answerInProcess(sides, stage.assay);
      expect(gated.exitCode, gated.stderr).toBe(gate.exitCode);
      const about = gate.exitCode === 0 ? '' : '"Right": ';
      expect(gated.stderr.slice(0, about.length + gate.sentence.length)).toBe(
        `${about}${gate.sentence}`,
      );

      const words = ['compare', baselineRunId, candidateRunId];
      const compared = await runInProcess(words, stage.assay);
      const faces = new Map([
        ['gate', gated.stdout],
        ['assay compare', compared.stdout],
        ['MCP', await toldByAgent(ids)],
        ['console', await toldByConsole(runs)],
      ]);
      for (const [language, { printed, exitCode }] of runs.reports) {
        faces.set(`evaluate in ${language}`, printed);
        expect(exitCode, language).toBe(gate.exitCode);
        if (exitCode === 2) expect(inOneVoice(printed), language).toContain(gate.sentence);
      }
      const tables = [...faces].filter(([face]) => !withoutTable.includes(face));
      for (const [face, text] of tables) expect(rowsOf(text), face).toEqual(rowsOf(gated.stdout));
      const verdicts = verdictsOf(comparison);
      const others = [
        ...warnings.map(({ message }) => message),
        ...unknownScores(comparison),
        ...(told.part === undefined ? [] : [told.part]),
      ];
      for (const [face, text] of faces) {
        // Where it cannot tell, the gate says why in the place of the verdict.
        const isWithoutVerdict = face === 'gate' && gate.exitCode === 2;
        for (const sentence of isWithoutVerdict ? others : [...verdicts, ...others])
          expect(inOneVoice(text), face).toContain(sentence);
      }
      if (accident.summary.counts?.errored) {
        const { largestChanges } = await agent.call('compare_runs', ids);
        expect(largestChanges[0].candidateError).toMatch(/\w+Error: /);
        await visitor.page
          .getByText(/^Error of the system: \w+Error: /)
          .first()
          .waitFor();
      }
      expect(faces.get('console')).not.toContain('Both runs have the same value everywhere');
    });
  },
  {
    options: async () => {
      judge = await startFailingJudge();
      return { scoring: judge.config() };
    },
  },
);

const withoutTable = ['MCP', 'console'];

/** The rows of a table of a comparison, whatever the widths of its columns. */
function rowsOf(text: string): string[] {
  const rows = text.match(/^(METRIC|Right|errors) .*$/gm) ?? [];
  expect(rows, text).toHaveLength(3);
  return rows.map((row) => row.replaceAll(/ {2,}/g, '  '));
}

/** The part of a summary about the metric "Right". */
function summaryTold({ metrics: [metric], warnings = [] }: Summary): SummaryTold {
  const { mean, count, repeats, ...others } = metric!;
  const { missing, failed, invalid, errored, notApplicable } = others;
  const counts = { missing, failed, invalid, errored, notApplicable, flaky: repeats?.flaky.count };
  const counted = Object.entries(counts).filter(([, number]) => number) as [string, number][];
  return {
    mean,
    testcases: count,
    ...(counted.length > 0 ? { counts: Object.fromEntries(counted) } : {}),
    ...(warnings[0] ? { warning: warnings[0].code } : {}),
  };
}

interface Summary {
  metrics: (Record<'missing' | 'failed' | 'invalid' | 'errored' | 'notApplicable', number> & {
    mean: number;
    count: number;
    repeats?: { flaky: { count: number } };
  })[];
  warnings?: { code: string }[];
}

/** The sentence on the metric, and that on errors where the systems failed. */
const verdictsOf = ({ metrics, errors }: Comparison): string[] =>
  [...metrics, ...(errors.candidateMean ? [errors] : [])].map(({ sentence }) => sentence!);

/** As sentences of more than one place go on. */
function unknownScores({ metrics: [metric] }: Comparison): string[] {
  const { expected: _expected, ...counts } = metric!.unknownScores!.candidate;
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `candidate run lacks ${count} scores (${count} ${kind})`);
}

/** A text with the candidate named as in the API, and without the breaks of its lines. */
const inOneVoice = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll(candidateName, 'the candidate')
    .replaceAll('this run', 'the candidate');
