import { poll } from '@assay/testing/poll';
import { evaluate } from '../system/evaluation.ts';
import type { Call } from '../system/installation.ts';
import { chat, sendTrace, spanIdOf } from './spans.ts';

/** Something of everything that the console shows, and the paths of its pages. */
export interface Content {
  projectId: string;
  testsetId: string;
  baselineRunId: string;
  candidateRunId: string;
  recordId: string;
  traceId: string;
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
  const traceId = await makeTrace(call, project.id);
  // Of a service that sends nothing: a run of the monitor would appear on pages at any moment.
  await call('PUT', `/projects/${project.id}/monitors`, {
    description: 'Answers of meridian',
    metrics: [metric.id],
    filter: { serviceName: 'meridian', hasError: true },
    sampleRate: 0.05,
  });
  const device = (await call('POST', '/session/device', { clientName: 'adas-laptop' })).body;
  await call('POST', '/invitations', { email: 'invited@example.com', name: 'Grace' });
  const inProject = `/projects/${project.id}`;
  return {
    projectId: project.id,
    testsetId: testset.id,
    baselineRunId: run.id,
    candidateRunId: second.id,
    recordId: record.id,
    traceId,
    pages: [
      ['projects', '/projects'],
      ['import', '/import'],
      ['a new run', `${inProject}/runs/new`],
      ['a new run from code', `${inProject}/runs/new?way=code`],
      ['overview', inProject],
      ['import into a project', `${inProject}/import`],
      ['runs', `${inProject}/runs`],
      ['run, its records', `${inProject}/runs/${run.id}`],
      ['run, its summary', `${inProject}/runs/${run.id}?tab=summary`],
      ['run, its summary by tags', `${inProject}/runs/${run.id}?tab=summary&breakdown=tags`],
      ['run, its failures', `${inProject}/runs/${run.id}?tab=failures`],
      ['record', `${inProject}/records/${record.id}`],
      ['record as JSON', `${inProject}/records/${record.id}?view=json`],
      ['record beside what was expected', `${inProject}/records/${record.id}?view=diff`],
      ['comparison', `${inProject}/compare?baseline=${run.id}&candidate=${second.id}`],
      [
        'comparison by tags',
        `${inProject}/compare?baseline=${run.id}&candidate=${second.id}&breakdown=tags`,
      ],
      [
        'comparison, testcase by testcase',
        `${inProject}/compare?baseline=${run.id}&candidate=${second.id}&tab=testcases`,
      ],
      ['traces', `${inProject}/traces`],
      ['trace', `${inProject}/traces/${traceId}`],
      ['trace, as a timeline', `${inProject}/traces/${traceId}?layout=timeline&tab=attributes`],
      ['trace, a conversation', `${inProject}/traces/${traceId}?span=${spanIdOf('model')}`],
      ['session', `${inProject}/sessions/session-1`],
      ['monitors', `${inProject}/monitors`],
      ['testsets', `${inProject}/testsets`],
      ['testset, its testcases', `${inProject}/testsets/${testset.id}`],
      ['testset, its duplicates', `${inProject}/testsets/${testset.id}?tab=duplicates`],
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
      ['usage', '/settings/usage'],
      ['judges', '/settings/judges'],
      ['login of a device', device.verificationPath],
    ],
  };
}

/** A request of the system: a call of a model, and of a tool that failed. */
const makeTrace = (call: Call, projectId: string): Promise<string> =>
  sendTrace(
    call,
    projectId,
    [
      { id: 'root', name: 'ask atlas', to: 900, attributes: { 'session.id': 'session-1' } },
      {
        id: 'model',
        parent: 'root',
        name: 'chat atlas',
        to: 500,
        attributes: chat([{ role: 'user', content: 'The capital of Norway?' }], 'Bergen'),
      },
      { id: 'tool', parent: 'root', name: 'look up', from: 510, to: 600, error: 'Not found.' },
    ],
    { resource: { 'service.name': 'atlas' } },
  );

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
