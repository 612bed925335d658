import { newId } from '@assay/runtime/ids';
import { type Document, MongoClient } from 'mongodb';
import { millisecondsText, type Row } from '../report.ts';
import { median, timeOf } from '../rounds.ts';
import type { Setting } from '../setting.ts';

const question = 'run-lists';
const runsCount = 5000;
const times = 11;
const reachMs = 1000;

/**
 * A project of 5,000 runs as the console opens it: its newest page, sorted and filtered by a metric, by
 * name, by label and time, and the trends of 200 runs. Each is one request through the gateway.
 */
export async function askRunLists(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call } = installation;
  const { projectId, metricId } = await createRuns(setting);
  const list = `/projects/${projectId}/runs?limit=100`;
  const since = new Date(Date.now() - 7 * dayMs).toISOString();
  const asked: [measure: string, path: string][] = [
    ['the newest 100 runs of 5,000', list],
    ['  by name', `${list}&sort=name`],
    ['  by the mean of a metric', `${list}&sort=mean&metricId=${metricId}`],
    [
      '  by the mean of a metric, of the last week',
      `${list}&sort=mean&metricId=${metricId}&from=${since}`,
    ],
    [
      '  of a label, with a mean of at least 0.9',
      `${list}&label=branch:7&metricId=${metricId}&min=0.9`,
    ],
    ['  the results of 200 runs over time', `/projects/${projectId}/trends`],
  ];
  const rows: Row[] = [];
  for (const [measure, path] of asked) {
    const took: number[] = [];
    for (let time = 0; time < times; time++) took.push(await timeOf(() => call('GET', path)));
    rows.push({
      question,
      measure,
      ours: millisecondsText(median(took)),
      reach: `≤ ${reachMs} ms`,
      isReached: median(took) <= reachMs,
    });
  }
  return rows;
}

const dayMs = 86_400_000;

/** Copies of one run that the service made, with its kept results, past the service; one every hour. */
async function createRuns(setting: Setting): Promise<{ projectId: string; metricId: string }> {
  const { call, databaseOf } = await setting.installation();
  const { mongodbUri: uri } = await setting.servers();
  const { id: projectId } = await call('POST', '/projects', { name: 'Runs', description: '' });
  const { id: metricId } = await call('POST', `/projects/${projectId}/metrics`, {
    name: 'Score',
    evalType: 'heuristic',
    outputType: 'float',
  });
  const run = await call('POST', `/projects/${projectId}/runs`, { metricIds: [metricId] });
  const { id } = await call('POST', `/runs/${run.id}/records`, {
    inputs: {},
    expected: {},
    outputs: {},
  });
  await call('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
    score: { floatScore: 0.5 },
  });
  while ((await call('GET', `/projects/${projectId}/trends`)).points.length === 0);
  const client = await MongoClient.connect(uri);
  try {
    const database = client.db(databaseOf('run-records'));
    const copy = async (collection: string, vary: (model: Document, number: number) => object) => {
      const documents = database.collection<Document & { _id: string }>(collection);
      const model = await documents.findOne({ $or: [{ _id: run.id }, { runId: run.id }] });
      if (!model) throw new Error(`The run is not in ${collection}.`);
      await documents.insertMany(
        ids.map((runId, number) => ({ ...model, _id: runId, ...vary(model, number) })),
      );
    };
    const ids = Array.from({ length: runsCount - 1 }, () => newId());
    const createdAt = (number: number) => new Date(Date.now() - number * 3_600_000);
    await copy('runs', (_model, number) => ({
      createdAt: createdAt(number),
      name: `Run ${number}`,
      labels: [`branch:${number % 20}`],
    }));
    await copy('run_counters', (_model, number) => ({ runId: ids[number] }));
    await copy('run_results', (_model, number) => ({ createdAt: createdAt(number) }));
    await copy('run_means', (_model, number) => ({
      _id: `${ids[number]}/${metricId}`,
      runId: ids[number],
      createdAt: createdAt(number),
      mean: ((number * 7919) % 1000) / 1000,
    }));
  } finally {
    await client.close();
  }
  return { projectId, metricId };
}
