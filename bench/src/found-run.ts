import { newId } from '@assay/runtime/ids';
import type { Call } from './client.ts';
import { fillRun } from './fill-run.ts';
import { recordBody } from './records.ts';
import { say } from './report.ts';
import type { Setting } from './setting.ts';

/** A run whose records differ in all by which they are found. */
export interface FoundRun {
  runId: string;
  count: number;
  booleanVersion: string;
  floatVersion: string;
  testcaseId: string;
  tag: string;
}

/** One in so many records has an assignee, an annotation, or a score that failed. */
const rareEach = 1000;
/** Records of one testcase. */
const recordsEach = 10;
const foundTag = 'one in ten';
const passingThreshold = 0.9;

/**
 * Makes a run of scored records past the service: a boolean that half of them pass, and a float of
 * a thousand values that a tenth of them pass.
 */
export async function createFoundRun(setting: Setting, count: number): Promise<FoundRun> {
  const { call, databaseOf } = await setting.installation();
  const { mongodbUri: uri } = await setting.servers();
  const { id: projectId } = await call('POST', '/projects', { name: 'Filters', description: '' });
  const newMetric = async (outputType: string) =>
    (
      await call('POST', `/projects/${projectId}/metrics`, {
        name: outputType,
        evalType: 'human',
        outputType,
      })
    ).id;
  const metricIds = [await newMetric('boolean'), await newMetric('float')];
  const run = await call('POST', `/projects/${projectId}/runs`, { metricIds });
  const [booleanVersion, floatVersion] = run.metricVersionIds as [string, string];
  const testcaseId = newId();
  say(`  ${count.toLocaleString('en-US')} records …`);
  await fillRun({
    uri,
    database: databaseOf('run-records'),
    call,
    runId: run.id,
    count,
    body: recordBody,
    prepare: (recordId) => scoreBoth(call, recordId, { booleanVersion, floatVersion }),
    vary: (model, number) => {
      const passes = number % 2 === 0;
      const float = ((number * 7919) % 1000) / 1000;
      const isRare = number % rareEach === 0;
      const values = new Map<string, boolean | number>([
        [booleanVersion, passes],
        [floatVersion, float],
      ]);
      return {
        scores: model.scores.map((score: { metricVersionId: string }) => ({
          ...score,
          value: values.get(score.metricVersionId),
        })),
        outcomes: [
          { metricVersionId: booleanVersion, outcome: isRare ? 'failed' : passes },
          { metricVersionId: floatVersion, outcome: float },
          { metricVersionId: floatVersion, outcome: float >= passingThreshold ? 'pass' : 'fail' },
        ],
        testcaseId: number < recordsEach ? testcaseId : `${Math.floor(number / recordsEach)}`,
        assignees: isRare ? [{ assigneeUserId: 'bench' }] : [],
        ...(isRare ? { hasAnnotations: true } : {}),
        ...(number % 10 === 0 ? { tags: [{ text: foundTag }] } : {}),
      };
    },
  });
  return { runId: run.id, count, booleanVersion, floatVersion, testcaseId, tag: foundTag };
}

async function scoreBoth(
  call: Call,
  recordId: string,
  { booleanVersion, floatVersion }: Pick<FoundRun, 'booleanVersion' | 'floatVersion'>,
): Promise<void> {
  await call('PUT', `/records/${recordId}/scores/${booleanVersion}`, {
    score: { binaryScore: true },
  });
  await call('PUT', `/records/${recordId}/scores/${floatVersion}`, { score: { floatScore: 0 } });
}
