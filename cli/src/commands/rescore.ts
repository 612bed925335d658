import { dollars, whole } from '@assay/client/figures';
import { findRun } from '@assay/client/find';
import { choose } from '@assay/client/named';
import type { ReplyOf } from '@assay/client/operations';
import { type Column, table } from '@assay/client/table';
import type { Command } from 'commander';
import {
  type Context,
  collect,
  type ProjectOptions,
  projectOption,
  withServer,
} from '../options.ts';

type Estimate = ReplyOf<'POST', '/runs/:runId/rescore/estimate'>;

interface RescoreOptions extends ProjectOptions {
  metric?: string[];
  yes?: true;
}

const columns: Column[] = [
  { title: 'METRIC', align: 'left', canShrink: true },
  { title: 'SCORES', align: 'right' },
  { title: 'COST', align: 'right' },
];

/** `assay rescore`: estimates the cost of scoring a run anew, and scores it with `--yes`. */
export function addRescore(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('rescore')
      .description('Say what it would cost to score a run anew; do it with --yes.')
      .argument('<run>', 'its id or name, or branch:NAME or latest:NAME')
      .addOption(projectOption())
      .option('--metric <name>', 'by this metric; repeatable, else by those of the run', collect)
      .option('--yes', 'score it'),
    '{ run: { id, name }, estimate, started: { queued, awaited } or null } as JSON',
  )
    .addHelpText('after', '\n  assay rescore latest:nightly --metric Helpful --yes')
    .action(async (wanted: string, { url, json, project, metric, yes }: RescoreOptions) => {
      const { client } = await connection.connect(url);
      const run = await findRun({ client, wanted, project });
      const params = { runId: run.id };
      const estimateOf = (body: { metricIds?: string[] }) =>
        client.request('POST', '/runs/:runId/rescore/estimate', { params, body });
      const all = await estimateOf({});
      const body = { metricIds: metricIdsIn(all, metric) };
      const estimate = metric ? await estimateOf(body) : all;
      if (!json) await terminal.print(table({ columns, rows: rowsOf(estimate) }));
      const started = yes
        ? await client.request('POST', '/runs/:runId/rescore', { params, body })
        : null;
      const { id, name = null } = run;
      if (json) return terminal.printJson({ run: { id, name }, estimate, started });
      terminal.say(started ? startedSentence(id, started) : proposal(estimate));
    });
}

/** Those of these names or ids, or all of the run that the service scores. */
function metricIdsIn({ metrics }: Estimate, names: string[] | undefined): string[] {
  const items = metrics.map(({ metricId: id, name }) => ({ id, name }));
  if (!names) return items.map(({ id }) => id);
  return names.map((wanted) => choose(items, { kind: 'metric', wanted }).id);
}

const rowsOf = ({ metrics }: Estimate): string[][] =>
  metrics.map(({ name, evalType, queued, costUsd }) => [
    name,
    whole(queued),
    evalType === 'ai' ? dollars(costUsd) : 'no judge',
  ]);

function proposal({ queued, costUsd, budgetLeftUsd }: Estimate): string {
  const cost =
    costUsd === null
      ? 'at a cost that is not known, since a model has no known price'
      : `for about ${dollars(costUsd)}`;
  const budget =
    budgetLeftUsd === null
      ? 'The run has no budget.'
      : `${dollars(budgetLeftUsd)} of the run's budget are left.`;
  return `--yes makes ${whole(queued)} scores anew, ${cost}. ${budget}`;
}

const startedSentence = (runId: string, { queued }: { queued: number }): string =>
  `${whole(queued)} scores are being made: assay watch ${runId} follows them.`;
