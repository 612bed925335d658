import { openDatabase } from '@assay/runtime/mongo/database';
import { expect, test } from 'vitest';
import { judged, useMetrics } from './setting.ts';

const { world, request, newProject, newMetric, change, currentVersion } = useMetrics();

/** Leaves of what scores only what the first release kept of it. */
async function makeOld(): Promise<void> {
  const { MONGODB_URI, DATABASE_PREFIX } = world().config;
  const database = await openDatabase({ uri: MONGODB_URI, name: `${DATABASE_PREFIX}_metrics` });
  for (const name of ['metrics', 'versions']) {
    const documents = database.collection(name);
    await documents.updateMany({}, { $unset: { 'scoring.code': '', 'scoring.annotators': '' } });
    await documents.updateMany(
      { 'scoring.judge': { $ne: null } },
      { $unset: { 'scoring.judge.votes': '', 'scoring.judge.seed': '' } },
    );
    expect(Object.keys((await documents.findOne({}))!.scoring)).not.toContain('annotators');
  }
  await database.close();
}

test('metrics that were kept before votes, seeds, code and annotators were known read, score and change as before', async () => {
  const projectId = await newProject();
  const made = [
    await newMetric(projectId, { evalType: 'ai', ...judged }),
    await newMetric(projectId),
  ];
  const versions = await Promise.all(made.map(({ id }) => currentVersion(projectId, id)));
  await makeOld();
  for (const [index, metric] of made.entries()) {
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
    expect(await currentVersion(projectId, metric.id)).toEqual(versions[index]);
    expect((await change(metric, { name: 'Other', guidelines: '' })).body).toEqual({
      ...metric,
      name: 'Other',
    });
    expect(await currentVersion(projectId, metric.id)).toEqual({
      ...versions[index],
      name: 'Other',
    });
  }
  expect((await request('GET', `/projects/${projectId}/metrics`)).body.data).toHaveLength(2);
});
