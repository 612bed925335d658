import { createLargeRun, largeRunCount } from '../large-run.ts';
import type { LoadResult } from '../load.ts';
import { createRun, recordBody } from '../records.ts';
import { type Row, rateText } from '../report.ts';
import { bare, linesTo, postOf, throughGateway } from '../requests.ts';
import { alternate } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { rateRow } from '../sides.ts';
import { memoryRows } from '../transfer.ts';
import { startRecordsBaseline } from './single-records.ts';

const connections = 50;
const until = { durationMs: 1500 };

/**
 * Question 2: records as NDJSON against single records in a bare Fastify; and the memory that one
 * body of a gigabyte takes.
 */
export async function askBulkRecords(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { generator } = setting;
  const runId = await createRun(installation.call);
  let accepted = 0;
  const upload = (bodiesAtOnce: number) => async (): Promise<LoadResult> => {
    const request = linesTo(throughGateway(installation), `/runs/${runId}/records/bulk`);
    const measured = await generator.upload({
      ...request,
      lines: [JSON.stringify(recordBody)],
      bodiesAtOnce,
      until,
    });
    accepted += measured.accepted;
    return measured;
  };
  const single = postOf(
    bare(await setting.shared(startRecordsBaseline)),
    '/runs/1/records',
    recordBody,
  );
  const { baseline, one, four } = await alternate({
    baseline: () => generator.closedLoop({ ...single, connections, until }),
    one: upload(1),
    four: upload(4),
  });
  const { numRecords } = await installation.call('GET', `/runs/${runId}`);
  if (numRecords !== accepted)
    throw new Error(
      `${accepted} lines were answered with a 2xx, but the run counts ${numRecords} records.`,
    );
  const sides = { question: '2', baseline, ratioMin: 15 };
  return [
    rateRow({
      ...sides,
      measure: 'records as NDJSON, one upload; baseline: single records',
      ours: one,
    }),
    rateRow({ ...sides, measure: 'records as NDJSON, four uploads at once', ours: four }),
    ...(await askLargeBody(setting)),
  ];
}

async function askLargeBody(setting: Setting): Promise<Row[]> {
  const uploaded = await setting.shared(createLargeRun);
  const measure = `${largeRunCount.toLocaleString('en-US')} records in one body`;
  return [
    { question: '2', measure, ours: rateText(uploaded.value.perSecond) },
    ...memoryRows('2', uploaded),
  ];
}
