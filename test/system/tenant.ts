import { createHash, randomBytes } from 'node:crypto';
import type { exampleIds } from '@assay/contracts/examples';
import { expect } from 'vitest';
import type { Call } from './installation.ts';

export type Ids = Record<keyof typeof exampleIds, string>;

/** Which of the ids a parameter is. */
export const kindOf = (parameter: string): keyof Ids =>
  parameters.get(parameter) ?? (parameter.replace(/Id$/, '') as keyof Ids);
const parameters = new Map<string, keyof Ids>([
  ['metricConfigId', 'metricVersion'],
  ['assigneeUserId', 'user'],
  ['userId', 'user'],
  ['baselineRunId', 'run'],
  ['candidateRunId', 'run'],
  ['pilotRunId', 'run'],
  ['pilotBaselineRunId', 'run'],
  ['compareWithRunId', 'run'],
  ['comparedRecordId', 'otherRecord'],
]);

/** An organization that has one of everything. */
export interface Tenant {
  call: Call;
  ids: Ids;
  /** All that it has, as it reads it. */
  everything(): Promise<string[]>;
}

/** Makes one of everything in the organization of this key. */
export async function createTenant(call: Call): Promise<Tenant> {
  const ok = async (...request: Parameters<Call>) => {
    const reply = await call(...request);
    expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
    return reply.body;
  };
  const organization = await ok('GET', '/organization');
  const project = await ok('POST', '/projects', {
    name: 'Secret',
    description: 'Of one organization',
  });
  const testset = await ok('POST', `/projects/${project.id}/testsets`, {
    name: 'Secret',
    description: '',
    jsonSchema: {
      type: 'object',
      properties: { question: { type: 'string' }, answer: { type: 'string' } },
    },
    fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
  });
  const { items } = await ok('POST', `/testsets/${testset.id}/testcases`, {
    items: [
      { jsonData: { question: 'a', answer: 'b' } },
      { jsonData: { question: 'c', answer: 'd' } },
    ],
  });
  const metric = await ok('POST', `/projects/${project.id}/metrics`, {
    name: 'Secret',
    evalType: 'human',
    outputType: 'boolean',
  });
  const group = await ok('POST', `/projects/${project.id}/metric-groups`, {
    name: 'Secret',
    metricIds: [metric.id],
  });
  const system = await ok('POST', `/projects/${project.id}/systems`, {
    name: 'Secret',
    config: { model: 'secret' },
  });
  const member = await ok('POST', '/members', { email: `${organization.id}@example.com` });
  const apiKey = await ok('POST', '/api-keys', { name: 'Secret' });
  const invitation = await ok('POST', '/invitations', {
    email: `to-${organization.id}@example.com`,
  });
  const newRun = () =>
    ok('POST', `/projects/${project.id}/runs`, {
      testsetId: testset.id,
      systemVersionId: system.productionVersion.id,
      metricIds: [metric.id],
    });
  const [run, other] = [await newRun(), await newRun()];
  await ok('PUT', `/testsets/${testset.id}/baseline`, { runId: run.id });
  const [metricVersionId] = run.metricVersionIds;
  const newRecord = (runId: string, testcaseId: string) =>
    ok('POST', `/runs/${runId}/records`, {
      testcaseId,
      inputs: { question: 'a' },
      expected: { answer: 'b' },
      outputs: { answer: 'b' },
      tags: ['secret'],
      otelLinkId: 'secret',
      clientId: 'secret',
    });
  const record = await newRecord(run.id, items[0].id);
  const otherRecord = await newRecord(other.id, items[0].id);
  const judge = await ok('POST', `/projects/${project.id}/metrics`, {
    name: 'Secret',
    evalType: 'ai',
    outputType: 'boolean',
    subject: 'pair',
    promptTemplate: '{{ first.outputs }} {{ second.outputs }}',
  });
  const pairwiseComparison = await ok('POST', '/pairwise-comparisons', {
    metricId: judge.id,
    runIds: [run.id, other.id],
  });
  await ok('PUT', `/records/${record.id}/scores/${metricVersionId}`, {
    score: { binaryScore: true, reasoning: 'secret' },
  });
  await ok('POST', `/records/${record.id}/assignees`, { assigneeUserId: member.userId });
  const said = { comment: 'secret' };
  const recordAnnotation = await ok('POST', `/records/${record.id}/annotations`, said);
  const testcaseAnnotation = await ok('POST', `/testcases/${items[0].id}/annotations`, said);
  const [tag] = (await ok('GET', `/records/${record.id}/tags`)).data;
  const [trace, span] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  await ok('POST', '/otel/v1/traces', exportOf({ trace, span, project: project.id }));
  const annotation = await ok('POST', `/traces/${trace}/annotations`, { comment: 'secret' });
  const view = await ok('POST', `/projects/${project.id}/views`, {
    list: 'runs',
    name: 'Secret',
    query: 'name=secret',
  });
  const monitor = await ok('PUT', `/projects/${project.id}/monitors`, {
    description: 'Secret',
    metrics: [metric.id],
    isPaused: true,
  });
  const bytes = `secret of ${organization.id}`;
  const attachment = await ok('POST', '/attachments', {
    sessionId: 'text',
    filePath: 'secret.txt',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    sizeBytes: bytes.length,
    contentType: 'text/plain',
  });
  await fetch(attachment.uploadUrl, { method: 'PUT', body: bytes });
  await ok('POST', `/attachments/${attachment.id}/commit`);

  return {
    call,
    ids: {
      project: project.id,
      testset: testset.id,
      testcase: items[0].id,
      metric: metric.id,
      humanMetric: metric.id,
      metricVersion: metricVersionId,
      metricGroup: group.id,
      system: system.id,
      systemVersion: system.productionVersion.id,
      run: run.id,
      record: record.id,
      user: member.userId,
      organization: organization.id,
      apiKey: apiKey.id,
      invitation: invitation.id,
      attachment: attachment.id,
      tag: tag.id,
      pairwiseComparison: pairwiseComparison.id,
      judgeOfPairs: judge.id,
      otherRun: other.id,
      trace,
      span,
      monitor: monitor.id,
      annotation: annotation.id,
      recordAnnotation: recordAnnotation.id,
      testcaseAnnotation: testcaseAnnotation.id,
      otherRecord: otherRecord.id,
      view: view.id,
    },
    everything: async () => {
      const paths = [
        '/organization',
        '/members',
        '/invitations',
        '/projects',
        `/projects/${project.id}/testsets`,
        `/testsets/${testset.id}/testcases`,
        `/projects/${project.id}/metrics`,
        `/projects/${project.id}/metric-groups`,
        `/projects/${project.id}/systems`,
        `/projects/${project.id}/runs`,
        `/projects/${project.id}/pairwise-comparisons`,
        `/pairwise-comparisons/${pairwiseComparison.id}/judgements`,
        `/runs/${run.id}/records`,
        `/runs/${other.id}/records`,
        `/records/${record.id}/tags`,
        `/records/${record.id}/assignees`,
        `/records/${record.id}/annotations`,
        `/testcases/${items[0].id}/annotations`,
        `/projects/${project.id}/views`,
        `/projects/${project.id}/monitors`,
        '/sessions/text/attachments',
        `/traces/${trace}/spans`,
        `/traces/${trace}/spans/${span}`,
      ];
      const texts: string[] = [];
      // When somebody was seen changes with each look.
      const kept = (name: string, value: unknown) => (name === 'lastSeenAt' ? undefined : value);
      for (const path of paths) texts.push(JSON.stringify(await ok('GET', path), kept));
      return texts;
    },
  };
}

/** An export of one span of OTLP/JSON. */
export function exportOf({ trace, span, project }: Record<'trace' | 'span' | 'project', string>) {
  const now = `${Date.now()}000000`;
  const attributeOf = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const attributes = [
    attributeOf('session.id', 'text'),
    attributeOf('gen_ai.operation.name', 'chat'),
    attributeOf('input.value', 'secret'),
  ];
  const own = { traceId: trace, spanId: span, name: 'secret', attributes };
  const spans = [{ ...own, startTimeUnixNano: now, endTimeUnixNano: now }];
  const resource = { attributes: [attributeOf('assay.project_id', project)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}
