import { recordBody } from '../records.ts';
import type { Row } from '../report.ts';
import { bare, type Door, postOf, throughGateway } from '../requests.ts';
import { alternate } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { processorRows, rateRow, timeRow } from '../sides.ts';

const connections = 50;
const durationMs = 1500;

/**
 * Question 3: a gateway in front of a bare Fastify echo, against the same echo without it. Key
 * check by the real identity service.
 */
export async function askGatewayAlone(setting: Setting): Promise<Row[]> {
  const { environment, key } = await setting.installation();
  const echo = await setting.start({ file: 'bench/dist/baseline/echo.js' });
  const gateway = await setting.start({
    name: 'gateway-alone',
    file: 'dist/bundle/gateway.js',
    environment: { ...environment, RUN_RECORDS_URL: echo.url },
  });
  const post = (door: Door) => {
    const request = postOf(door, '/runs/00000000-0000-7000-8000-000000000000/records', recordBody);
    return () => setting.generator.closedLoop({ ...request, connections, until: { durationMs } });
  };
  const { direct, through } = await alternate({
    direct: post(bare(echo)),
    through: post(throughGateway({ url: gateway.url, key })),
  });
  await gateway.stop();
  await echo.stop();
  const sides = { question: '3', ours: through, baseline: direct };
  return [
    rateRow({ ...sides, measure: 'the gateway alone, before an echo', ratioMin: 0.5 }),
    timeRow({ ...sides, measure: '  p50', figure: 'p50Ms' }),
    ...processorRows(sides),
  ];
}
