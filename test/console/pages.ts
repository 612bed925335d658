import { poll } from '@assay/testing/poll';
import { evaluate } from '../system/evaluation.ts';
import type { Call } from '../system/installation.ts';

/** Something of everything that the console shows, and the paths of its pages. */
export interface Content {
  projectId: string;
  testsetId: string;
  baselineRunId: string;
  candidateRunId: string;
  recordId: string;
  /** Each page by the name that a person would give it. */
  pages: [name: string, path: string, has?: 'an editor'][];
}

/** An evaluation of two versions of a system: the second answers all four questions rightly. */
export async function makeContent(call: Call): Promise<Content> {
  const { project, testset, testcases, metric, system, run } = await evaluate(call);
  const version = (
    await call('POST', `/systems/${system.id}/versions`, { config: { model: 'atlas 2' } })
  ).body;
  const second = (
    await call('POST', `/projects/${project.id}/runs`, {
      testsetId: testset.id,
      systemVersionId: version.id,
      metricIds: [metric.id],
    })
  ).body;
  for (const { id, inputs, expected } of testcases)
    await call('POST', `/runs/${second.id}/records`, {
      testcaseId: id,
      inputs,
      expected,
      outputs: { answer: expected.capital },
    });
  await poll(
    'the second run is completed',
    async () => (await call('GET', `/runs/${second.id}`)).body.status === 'completed',
  );
  const record = (await call('GET', `/runs/${run.id}/records?limit=1`)).body.data[0];
  await call('POST', `/records/${record.id}/tags`, { text: 'discuss' });
  const reviewedRunId = await makeReviewedRun(call, project.id);
  const judged = (
    await call('POST', `/projects/${project.id}/metrics`, {
      name: 'By a judge',
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: 'Is {{ outputs.answer }} right?',
    })
  ).body;
  const coded = (
    await call('POST', `/projects/${project.id}/metrics`, {
      name: 'By code',
      evalType: 'heuristic',
      outputType: 'boolean',
      code: { language: 'typescript', source: 'function evaluate() { return true; }' },
    })
  ).body;
  const device = (await call('POST', '/session/device', { clientName: 'adas-laptop' })).body;
  const inProject = `/projects/${project.id}`;
  return {
    projectId: project.id,
    testsetId: testset.id,
    baselineRunId: run.id,
    candidateRunId: second.id,
    recordId: record.id,
    pages: [
      ['projects', '/projects'],
      ['import', '/import'],
      ['overview', inProject],
      ['import into a project', `${inProject}/import`],
      ['runs', `${inProject}/runs`],
      ['run, its records', `${inProject}/runs/${run.id}`],
      ['run, its summary', `${inProject}/runs/${run.id}?tab=summary`],
      ['run, its failures', `${inProject}/runs/${run.id}?tab=failures`],
      ['record', `${inProject}/records/${record.id}`],
      ['record as JSON', `${inProject}/records/${record.id}?view=json`],
      ['record beside what was expected', `${inProject}/records/${record.id}?view=diff`],
      ['comparison', `${inProject}/compare?baseline=${run.id}&candidate=${second.id}`],
      ['testsets', `${inProject}/testsets`],
      ['testset, its testcases', `${inProject}/testsets/${testset.id}`],
      ['testset, its fields', `${inProject}/testsets/${testset.id}?tab=schema`],
      ['testset, its schema', `${inProject}/testsets/${testset.id}?tab=schema&view=json`],
      ['testset, its import', `${inProject}/testsets/${testset.id}?tab=import`],
      ['review', `${inProject}/review`],
      ['review of a record', `${inProject}/review/go?run=${reviewedRunId}&expected=shown`],
      ['metrics', `${inProject}/metrics`],
      ['new metric', `${inProject}/metrics/new`, 'an editor'],
      ['ready-made judges', `${inProject}/metrics/new?library=open`],
      [
        'new metric, from a ready-made judge',
        `${inProject}/metrics/new?template=refusal`,
        'an editor',
      ],
      ['metric of a rule', `${inProject}/metrics/${metric.id}`],
      ['metric of a judge', `${inProject}/metrics/${judged.id}`, 'an editor'],
      ['metric in code', `${inProject}/metrics/${coded.id}`, 'an editor'],
      ['metric, its versions', `${inProject}/metrics/${metric.id}?tab=versions`],
      ['metric, its reliability', `${inProject}/metrics/${judged.id}?tab=reliability`],
      ['systems', `${inProject}/systems`],
      ['system', `${inProject}/systems/${system.id}`],
      ['organization', '/settings/organization'],
      ['members', '/settings/members'],
      ['API keys', '/settings/keys'],
      ['judges', '/settings/judges'],
      ['login of a device', device.verificationPath],
    ],
  };
}

/** A run in which people have scores to give, of every output type. */
async function makeReviewedRun(call: Call, projectId: string): Promise<string> {
  const metricIds: string[] = [];
  for (const outputType of ['boolean', 'int', 'float'])
    metricIds.push(
      (
        await call('POST', `/projects/${projectId}/metrics`, {
          name: `Helpful, ${outputType}`,
          evalType: 'human',
          outputType,
          guidelines: '**Would it help you?**\n\n- Is it right?',
        })
      ).body.id,
    );
  const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds })).body;
  await call('POST', `/runs/${run.id}/records`, {
    inputs: { country: 'Norway' },
    expected: { capital: 'Oslo' },
    outputs: { answer: 'Bergen' },
  });
  return run.id;
}
