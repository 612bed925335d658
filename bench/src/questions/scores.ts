import type { Call } from '../client.ts';
import { startLaptop } from '../laptop.ts';
import { type Row, rateText, say } from '../report.ts';
import { median } from '../rounds.ts';
import { createWaitingRun, scoreAll } from '../scored-run.ts';
import type { Setting } from '../setting.ts';

const recordsCount = 5000;
const roundsCount = 3;
const reachPerSecond = 2000;

const metric = {
  name: 'Same answer',
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: {
    name: 'exact_match',
    options: { output: '/response', expected: '/idealAnswer', ignoreCase: true },
  },
};

/**
 * Scores a second of a built-in evaluator, through the whole path: jobs, records, evaluator,
 * judgements, accounts.
 */
export async function askScores(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const laptop = await startLaptop(setting);
  const rates: Record<'processes' | 'laptop', number[]> = { processes: [], laptop: [] };
  for (let round = 0; round <= roundsCount; round++) {
    for (const [side, of] of [['processes', installation] as const, ['laptop', laptop] as const]) {
      const perSecond = await scoresPerSecond(setting, of);
      say(`  ${round === 0 ? 'warm-up' : `round ${round}`}  ${side}: ${rateText(perSecond)}`);
      if (round > 0) rates[side].push(perSecond);
    }
  }
  await laptop.stop();
  return [
    toRow('the gateway and services as processes', rates.processes),
    toRow("the laptop's one process", rates.laptop),
  ];
}

async function scoresPerSecond(
  setting: Setting,
  { call, databaseOf }: { call: Call; databaseOf: (service: string) => string },
): Promise<number> {
  const { mongodbUri } = await setting.servers();
  const waiting = await createWaitingRun({
    call,
    uri: mongodbUri,
    database: databaseOf('run-records'),
    metric,
    count: recordsCount,
  });
  return recordsCount / ((await scoreAll(call, waiting)) / 1000);
}

function toRow(name: string, rates: number[]): Row {
  const perSecond = median(rates);
  return {
    question: 'scores',
    measure: `scores of a built-in evaluator, ${name}`,
    ours: rateText(perSecond),
    reach: `≥ ${rateText(reachPerSecond)}`,
    isReached: perSecond >= reachPerSecond,
  };
}
