import { newId } from '@assay/runtime/ids';
import { poll } from '@assay/testing/poll';
import {
  fileOf,
  header,
  projectLine,
  runLine,
} from '../../../services/transfers/test/written-file.ts';
import type { Call } from '../../system/installation.ts';
import { uploadRecords } from '../../system/records.ts';
import { type Content, makeContent } from '../pages.ts';

/** What the pages show, and what some dialogs need besides. */
export interface OpeningContent extends Content {
  /** A comparison of runs that a judge scores. */
  judgedPath: string;
  judgeId: string;
  /** A testset with tags, one testcase of which was changed. */
  changedTestsetId: string;
}

/** Something of everything, so that all that opens over a page can be opened. */
export async function makeOpeningContent(call: Call): Promise<OpeningContent> {
  const content = await makeContent(call);
  await importPerson(call);
  return {
    ...content,
    ...(await makeJudgedComparison(call, content)),
    changedTestsetId: await makeChangedTestset(call, content.projectId),
  };
}

/** A person whom an imported file names, and who is no member. */
async function importPerson(call: Call): Promise<void> {
  const userId = newId();
  const member = { kind: 'member', userId, email: 'imported@example.org', name: 'Imported' };
  const raw = fileOf(
    header,
    projectLine(),
    JSON.stringify(member),
    JSON.stringify({ ...runLine(newId()), createdByUserId: userId }),
  );
  const headers = { 'content-type': 'application/x-ndjson' };
  await call('POST', '/projects/import', undefined, { raw, headers });
}

async function makeJudgedComparison(
  call: Call,
  { projectId, testsetId }: Content,
): Promise<Pick<OpeningContent, 'judgedPath' | 'judgeId'>> {
  const metric = await call('POST', `/projects/${projectId}/metrics`, {
    name: 'Convincing',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: 'Does {{ outputs.answer }} convince you?',
  });
  const { data } = (await call('GET', `/testsets/${testsetId}/testcases`)).body;
  const records = (data as { id: string }[]).map(({ id: testcaseId }) => ({
    testcaseId,
    inputs: {},
    expected: {},
    outputs: { answer: 'Yes.' },
  }));
  const runIds: string[] = [];
  for (const name of ['judged 1', 'judged 2']) {
    const run = (
      await call('POST', `/projects/${projectId}/runs`, {
        name,
        testsetId,
        metricIds: [metric.body.id],
      })
    ).body;
    await uploadRecords(call, run.id, records);
    await poll(
      'the run is completed',
      async () => (await call('GET', `/runs/${run.id}`)).body.status === 'completed',
    );
    runIds.push(run.id);
  }
  return {
    judgedPath: `/projects/${projectId}/compare?baseline=${runIds[0]}&candidate=${runIds[1]}`,
    judgeId: metric.body.id,
  };
}

async function makeChangedTestset(call: Call, projectId: string): Promise<string> {
  const text = { type: 'string' };
  const { id } = (
    await call('POST', `/projects/${projectId}/testsets`, {
      name: 'Questions of customers',
      description: '',
      jsonSchema: {
        type: 'object',
        properties: { question: text, tags: { type: 'array', items: text } },
      },
      fieldMapping: { inputs: ['question'], expected: [], metadata: ['tags'] },
      tagsField: 'tags',
    })
  ).body;
  const { items } = (
    await call('POST', `/testsets/${id}/testcases`, {
      items: [{ jsonData: { question: 'Where is my blue parcel?', tags: ['parcel'] } }],
    })
  ).body;
  await call('PUT', `/testcases/${items[0].id}`, {
    jsonData: { question: 'Where is my red parcel?', tags: ['parcel'] },
  });
  return id;
}
