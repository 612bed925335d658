import type { Client, Json } from '@assay/client/client';
import type { ItemOf } from '@assay/client/operations';
import { printable } from '@assay/client/printable';
import { table } from '@assay/client/table';
import { compareRuns } from '@assay/comparison/ask';
import { comparisonTable } from '@assay/comparison/table';
import type { EvaluatedVersion } from './evaluation.ts';

/** The view of testcases that flip: the metric, and the text of a record's cells. */
export interface FlipView {
  metric: string;
  /** The title of the column of inputs. */
  title: string;
  input: (inputs: Json) => string;
  output: (outputs: Json) => string;
}

type Flip = ItemOf<'/comparisons/flips'>;

interface Pair {
  before: EvaluatedVersion;
  after: EvaluatedVersion;
}

const level = 0.95;
const examplesMax = 4;
const cellCharactersMax = 44;

/**
 * Compares each version with the one before it: a table a pair, and then testcases that changed in
 * the pair called `flipsOf`.
 */
export async function tellComparisons({
  client,
  versions,
  view,
  flipsOf,
}: {
  client: Client;
  versions: EvaluatedVersion[];
  view: FlipView;
  /** Place of the later version. */
  flipsOf: number;
}): Promise<string[]> {
  const pairs = versions
    .slice(1)
    .map((after, index): Pair => ({ before: versions[index]!, after }));
  const blocks = await Promise.all(pairs.map((pair) => tellPair({ client, pair })));
  return [...blocks.flat(), ...(await tellFlips({ client, pair: pairs[flipsOf - 1]!, view }))];
}

async function tellPair({
  client,
  pair: { before, after },
}: {
  client: Client;
  pair: Pair;
}): Promise<string[]> {
  const runs = { baselineRunId: before.runId, candidateRunId: after.runId, level };
  const compared = await compareRuns(client, runs);
  const lines = comparisonTable(compared, { isWide: true, shown: printable });
  return [`${before.name} → ${after.name}`, ...lines, ''];
}

async function tellFlips({
  client,
  pair: { before, after },
  view,
}: {
  client: Client;
  pair: Pair;
  view: FlipView;
}): Promise<string[]> {
  const { metricId } = after.metrics.find(({ name }) => name === view.metric)!;
  const query = { baselineRunId: before.runId, candidateRunId: after.runId, metricId };
  const found = { improved: [] as Flip[], regressed: [] as Flip[] };
  for await (const flip of client.list('/comparisons/flips', { query }))
    found[flip.direction].push(flip);
  const columns = ['', view.title, before.name.toUpperCase(), after.name.toUpperCase()];
  return [
    `"${view.metric}" from ${before.name} to ${after.name}: ${found.improved.length} improved, ${found.regressed.length} regressed. For example:`,
    '',
    ...table({
      columns: columns.map((title) => ({ title, align: 'left' })),
      rows: [...found.improved.filter(isExample), ...found.regressed.filter(isExample)].map(
        (flip) => row({ flip, view }),
      ),
    }),
  ];
}

/** Spread over all of one direction: testcases of one kind often stand together. */
const isExample = (_flip: Flip, index: number, flips: Flip[]): boolean =>
  index % Math.ceil(flips.length / examplesMax) === 0;

const row = ({
  flip: { direction, baseline, candidate },
  view,
}: {
  flip: Flip;
  view: FlipView;
}): string[] =>
  [
    direction,
    view.input(baseline.inputs),
    view.output(baseline.outputs),
    view.output(candidate.outputs),
  ].map(shortened);

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > cellCharactersMax ? `${line.slice(0, cellCharactersMax - 1)}…` : line;
}
