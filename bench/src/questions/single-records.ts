import { authorizationOf, type Call } from '../client.ts';
import { startLaptop } from '../laptop.ts';
import type { Load, Measured } from '../load.ts';
import { createRun, recordBody } from '../records.ts';
import { millisecondsText, type Row, rateText, ratioText } from '../report.ts';
import { alternate, errorsOf, medianOf, ratioOf } from '../rounds.ts';
import type { Setting } from '../setting.ts';

const connections = 50;
const durationMs = 4000;

/** Question 1: single records through the gateway against a bare Fastify with `insertOne`, in separate processes and in the laptop's one. */
export async function askSingleRecords(setting: Setting): Promise<Row[]> {
  const { mongodbUri } = await setting.servers();
  const installation = await setting.installation();
  const baseline = await setting.start({ file: 'bench/dist/baseline/records.js', environment: { MONGODB_URI: mongodbUri } });
  const laptop = await startLaptop(setting);
  const measured = await alternate({
    generator: setting.generator,
    sides: {
      baseline: loadOf(baseline.url, '/runs/1/records', {}),
      processes: await loadOn(installation),
      laptop: await loadOn(laptop),
    },
  });
  await laptop.stop();
  return [
    ...compare('the gateway and services as processes', measured.processes, measured.baseline),
    ...compare("the laptop's one process", measured.laptop, measured.baseline),
  ];
}

const loadOf = (url: string, path: string, headers: Record<string, string>): Load => ({
  url,
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(recordBody),
  connections,
  durationMs,
});

const loadOn = async ({ url, key, call }: { url: string; key: string; call: Call }): Promise<Load> =>
  loadOf(url, `/v2/runs/${await createRun(call)}/records`, authorizationOf(key));

function compare(name: string, ours: Measured[], baseline: Measured[]): Row[] {
  const rate = ratioOf(ours, baseline, 'perSecond');
  const p99 = ratioOf(ours, baseline, 'p99Ms');
  return [
    {
      question: '1',
      measure: `single records, ${name}`,
      baseline: rateText(medianOf(baseline, 'perSecond')),
      ours: rateText(medianOf(ours, 'perSecond')),
      ratio: ratioText(rate),
      reach: '≥ 2.0 ×',
      isReached: rate >= 2,
      errors: errorsOf([...ours, ...baseline]),
    },
    {
      question: '1',
      measure: '  p50',
      baseline: millisecondsText(medianOf(baseline, 'p50Ms')),
      ours: millisecondsText(medianOf(ours, 'p50Ms')),
      ratio: ratioText(ratioOf(ours, baseline, 'p50Ms')),
    },
    {
      question: '1',
      measure: '  p99',
      baseline: millisecondsText(medianOf(baseline, 'p99Ms')),
      ours: millisecondsText(medianOf(ours, 'p99Ms')),
      ratio: ratioText(p99),
      reach: '≤ 1.0 ×',
      isReached: p99 <= 1,
    },
  ];
}
