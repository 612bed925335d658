import type { Call } from '../client.ts';
import { recordBody } from '../records.ts';
import type { Row } from '../report.ts';
import { bare, behindGateway, type Door, getOf, postOf, throughGateway } from '../requests.ts';
import { alternate } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { processorRows, rateRow, timeRow } from '../sides.ts';
import { startRecordsBaseline } from './single-records.ts';

const connections = 50;
const durationMs = 1000;
const items = 100;
const scoresEach = 3;

/**
 * Question 8: a page of a hundred records with three scores each, against a bare Fastify with
 * `find` of the same content as documents.
 */
export async function askListing(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const baseline = await setting.shared(startRecordsBaseline);
  const runId = await createScoredRun(installation.call);
  const path = `/runs/${runId}/records?limit=${items}`;
  await copyTo(bare(baseline), runId, (await installation.call('GET', path)).data);
  const get = (door: Door) => () =>
    setting.generator.closedLoop({ ...getOf(door, path), connections, until: { durationMs } });
  const measured = await alternate({
    baseline: get(bare(baseline)),
    gateway: get(throughGateway(installation)),
    service: get(behindGateway(setting, installation, 'run-records')),
  });
  const sides = { question: '8', baseline: measured.baseline };
  return [
    rateRow({
      ...sides,
      measure: `pages of ${items} records with ${scoresEach} scores each`,
      ours: measured.gateway,
      ratioMin: 1,
    }),
    timeRow({ ...sides, measure: '  p50', ours: measured.gateway, figure: 'p50Ms' }),
    ...processorRows({ ...sides, ours: measured.gateway }),
    rateRow({
      ...sides,
      measure: '  the service itself, without the gateway',
      ours: measured.service,
    }),
  ];
}

async function createScoredRun(call: Call): Promise<string> {
  const { id: projectId } = await call('POST', '/projects', { name: 'Listing', description: '' });
  const metric = { evalType: 'heuristic', outputType: 'float' };
  const metricIds: string[] = [];
  for (let number = 0; number < scoresEach; number++)
    metricIds.push(
      (
        await call('POST', `/projects/${projectId}/metrics`, {
          ...metric,
          name: `Metric ${number}`,
        })
      ).id,
    );
  const run = await call('POST', `/projects/${projectId}/runs`, { metricIds });
  for (let number = 0; number < items; number++) {
    const { id } = await call('POST', `/runs/${run.id}/records`, recordBody);
    for (const metricVersionId of run.metricVersionIds)
      await call('PUT', `/records/${id}/scores/${metricVersionId}`, {
        score: { floatScore: number / items, reasoning: 'It asks for the number.' },
      });
  }
  return run.id;
}

interface ListedRecord {
  id: string;
  runId: string;
  scores: object[];
}

/** Puts the same records into the baseline, and makes sure that it answers with as much. */
async function copyTo(door: Door, runId: string, records: ListedRecord[]): Promise<void> {
  for (const { id: _id, runId: _runId, ...record } of records) {
    const { url, path, ...request } = postOf(door, `/runs/${runId}/records`, record);
    await fetch(`${url}${path}`, request);
  }
  const { url, path } = getOf(door, `/runs/${runId}/records?limit=${items}`);
  const { data } = (await (await fetch(`${url}${path}`)).json()) as { data: ListedRecord[] };
  const isSame = data.length === items && data.every(({ scores }) => scores.length === scoresEach);
  if (!isSame) throw new Error('The baseline does not answer with the records that were put in.');
}
