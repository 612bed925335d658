import { authorizationOf } from '../client.ts';
import type { Load } from '../load.ts';
import { millisecondsText, type Row, rateText, ratioText } from '../report.ts';
import { alternate, errorsOf, medianOf, ratioOf } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { createTestset, testcasesBody } from '../testcases.ts';

const connections = 50;
const durationMs = 4000;
const items = 100;

/** Question 9: a hundred testcases a request, against a bare Fastify with the same schema and one `insertMany`. */
export async function askTestcaseCreation(setting: Setting): Promise<Row[]> {
  const { mongodbUri } = await setting.servers();
  const { url, key, call } = await setting.installation();
  const baseline = await setting.start({ file: 'bench/dist/baseline/testcases.js', environment: { MONGODB_URI: mongodbUri } });
  const load = (url: string, path: string, headers: Record<string, string>): Load => ({
    url,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(testcasesBody(items)),
    connections,
    durationMs,
  });
  const measured = await alternate({
    generator: setting.generator,
    sides: {
      baseline: load(baseline.url, '/testsets/1/testcases', {}),
      ours: load(url, `/v2/testsets/${await createTestset(call)}/testcases`, authorizationOf(key)),
    },
  });
  const rate = ratioOf(measured.ours, measured.baseline, 'perSecond');
  return [
    {
      question: '9',
      measure: 'testcases, 100 a request',
      baseline: rateText(medianOf(measured.baseline, 'perSecond') * items),
      ours: rateText(medianOf(measured.ours, 'perSecond') * items),
      ratio: ratioText(rate),
      reach: '≥ 0.8 ×',
      isReached: rate >= 0.8,
      errors: errorsOf([...measured.ours, ...measured.baseline]),
    },
    {
      question: '9',
      measure: '  p50 of a request',
      baseline: millisecondsText(medianOf(measured.baseline, 'p50Ms')),
      ours: millisecondsText(medianOf(measured.ours, 'p50Ms')),
      ratio: ratioText(ratioOf(measured.ours, measured.baseline, 'p50Ms')),
    },
  ];
}
