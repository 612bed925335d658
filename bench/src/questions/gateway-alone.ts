import { authorizationOf } from '../client.ts';
import type { Load } from '../load.ts';
import { recordBody } from '../records.ts';
import { millisecondsText, type Row, rateText, ratioText } from '../report.ts';
import { alternate, errorsOf, medianOf, ratioOf } from '../rounds.ts';
import type { Setting } from '../setting.ts';

const connections = 50;
const durationMs = 3000;

/** Question 3: a gateway in front of a bare Fastify echo, against the same echo without it. Key check by the real identity service. */
export async function askGatewayAlone(setting: Setting): Promise<Row[]> {
  const { environment, key } = await setting.installation();
  const echo = await setting.start({ file: 'bench/dist/baseline/echo.js' });
  const gateway = await setting.start({
    name: 'gateway-alone',
    file: 'gateway/dist/main.js',
    environment: { ...environment, RUN_RECORDS_URL: echo.url },
  });
  const path = '/runs/00000000-0000-7000-8000-000000000000/records';
  const load = (url: string, path: string, headers: Record<string, string>): Load => ({
    url,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(recordBody),
    connections,
    durationMs,
  });
  const { direct, through } = await alternate({
    generator: setting.generator,
    sides: { direct: load(echo.url, path, {}), through: load(gateway.url, `/v2${path}`, authorizationOf(key)) },
  });
  const rate = ratioOf(through, direct, 'perSecond');
  return [
    {
      question: '3',
      measure: 'the gateway alone, before an echo',
      baseline: rateText(medianOf(direct, 'perSecond')),
      ours: rateText(medianOf(through, 'perSecond')),
      ratio: ratioText(rate),
      reach: '≥ 0.5 ×',
      isReached: rate >= 0.5,
      errors: errorsOf([...through, ...direct]),
    },
    {
      question: '3',
      measure: '  p50',
      baseline: millisecondsText(medianOf(direct, 'p50Ms')),
      ours: millisecondsText(medianOf(through, 'p50Ms')),
      ratio: ratioText(ratioOf(through, direct, 'p50Ms')),
    },
  ];
}
