import { type LargeBody, largeBodies } from '../large-records.ts';
import { createRun } from '../records.ts';
import { millisecondsText, type Row, say } from '../report.ts';
import { postTextOf, throughGateway } from '../requests.ts';
import { errorsOf, toText } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { type SmallRequests, watchSmallRequests } from '../small-requests.ts';

const warmUpMs = 3000;
const aloneMs = 3000;
const durationMs = 6000;
const atOnce = 8;
const reachMs = 150;

/**
 * Question 6: how long small requests take while eight records of 15 MiB come in at once, again and
 * again.
 */
export async function askSmallBesideLarge(setting: Setting): Promise<Row[]> {
  const { generator } = setting;
  const installation = await setting.installation();
  const watch = (durationMs: number) => watchSmallRequests({ generator, installation, durationMs });
  const watchBeside = async (shape: LargeBody, durationMs: number) => {
    const path = `/runs/${await createRun(installation.call)}/records`;
    const request = postTextOf(throughGateway(installation), path, largeBodies[shape]());
    return Promise.all([
      watch(durationMs),
      generator.closedLoop({ ...request, connections: atOnce, until: { durationMs } }),
    ]);
  };
  const shapes = Object.keys(largeBodies) as LargeBody[];
  for (const shape of shapes) await watchBeside(shape, warmUpMs);
  const alone = await watch(aloneMs);
  tell('alone', alone);
  const rows: Row[] = [];
  for (const shape of shapes) {
    const [beside, large] = await watchBeside(shape, durationMs);
    say(`  large records, ${shape}: ${toText(large)}`);
    tell(`beside ${shape}`, beside);
    const errors = errorsOf([beside.get, beside.post, large]);
    rows.push(
      toRow(
        `p99 of reading a run while 8 records of 15 MiB (${shape}) come in; baseline: alone`,
        beside.get,
        alone.get,
        errors,
      ),
    );
    rows.push(toRow('  p99 of creating a record of 1 KB', beside.post, alone.post));
  }
  return rows;
}

const tell = (when: string, { get, post }: SmallRequests) =>
  say(
    `  ${when}: GET ${toText(get)}; POST ${toText(post)}; sent at most ${Math.max(get.lateMaxMs, post.lateMaxMs).toFixed(0)} ms late`,
  );

const toRow = (
  measure: string,
  beside: SmallRequests['get'],
  alone: SmallRequests['get'],
  errors?: number,
): Row => ({
  question: '6',
  measure,
  baseline: millisecondsText(alone.p99Ms),
  ours: millisecondsText(beside.p99Ms),
  reach: `≤ ${reachMs} ms`,
  isReached: beside.p99Ms <= reachMs,
  errors,
});
