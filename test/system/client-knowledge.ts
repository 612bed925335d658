import { exampleIds } from '@assay/contracts/examples';
import { evaluatorNames } from '@assay/contracts/metrics/evaluator';
import { poll } from '@assay/testing/poll';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { DocumentedOperation } from './api-document.ts';
import type { Call } from './installation.ts';
import type { Knowledge } from './request-arbitraries.ts';
import { createTenant, type Ids, kindOf } from './tenant.ts';

/**
 * Fills the organization of this key with one of everything, and says what a client then knows of
 * it.
 */
export async function fillOrganization(call: Call): Promise<Knowledge> {
  const { ids } = await createTenant(call);
  const make = async (path: string, body?: unknown) => {
    const reply = await call('POST', path, body);
    expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300);
    return reply.body;
  };
  const metric = {
    name: 'Same',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: {} },
  };
  const sameAnswer = await make(`/projects/${ids.project}/metrics`, metric);
  const judge = {
    name: 'Judge',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: 'Is {{ outputs.answer }} right?',
  };
  const judged = await make(`/projects/${ids.project}/metrics`, judge);
  const scored = await make(`/projects/${ids.project}/runs`, {
    testsetId: ids.testset,
    metricIds: [sameAnswer.id, judged.id, ids.metric],
  });
  const answer = { question: 'a', answer: 'b' };
  await make(`/runs/${scored.id}/records`, {
    testcaseId: ids.testcase,
    inputs: answer,
    expected: { answer: 'b' },
    outputs: { answer: 'b' },
  });
  const tagged = await make(`/projects/${ids.project}/testsets`, {
    name: 'Tagged',
    description: '',
    jsonSchema: {},
    fieldMapping: { inputs: ['question'], expected: [], metadata: ['tags'] },
    tagsField: 'tags',
  });
  const { items } = await make(`/testsets/${tagged.id}/testcases`, {
    items: [{ jsonData: { question: 'a' } }],
  });
  const changed = items[0].id;
  await call('PUT', `/testcases/${changed}`, { jsonData: { question: 'b' } });
  const declared = await make('/attachments', { sessionId: 'new', filePath: 'new', ...fiveBytes });
  const { downloadUrl } = (await call('GET', `/attachments/${ids.attachment}`)).body;

  /** Logins of devices are begun a few in a second. */
  const userCode = () =>
    poll('a device begins its login', async () => {
      const { status, body } = await call('POST', '/session/device', { clientName: 'device' });
      return status === 201 && (body.userCode as string);
    });
  const userCodes: Record<string, string> = {
    getDeviceLogin: await userCode(),
    approveDeviceLogin: await userCode(),
    denyDeviceLogin: await userCode(),
  };

  // What an operation can only be asked for with something of its own.
  const own: Record<string, Partial<Ids>> = {
    updateMetric: { metric: sameAnswer.id },
    previewMetric: { metric: sameAnswer.id, run: scored.id },
    getReliability: { metric: judged.id, run: scored.id },
    drawLabels: { metric: judged.id, run: scored.id },
    getLabelDraw: { metric: judged.id, run: scored.id },
    rescoreRun: { metric: sameAnswer.id, run: scored.id },
    estimateRescoring: { metric: sameAnswer.id, run: scored.id },
    uploadAttachment: { attachment: declared.id },
    restoreTestcase: { testcase: changed },
    tagTestcases: { testset: tagged.id, testcase: changed },
  };
  const idsOf = ({ id }: DocumentedOperation): Ids => ({ ...ids, ...own[id] });
  const signed: Record<string, string> = {
    uploadAttachment: declared.uploadUrl,
    downloadAttachment: downloadUrl,
  };
  const texts: Record<string, string> = { sessionId: 'text', text: 'secret' };

  return {
    valuesOf(operation, name) {
      const parameter = operation.parameters.find((each) => each.name === name);
      const query = signed[operation.id] && new URL(signed[operation.id]!).searchParams.get(name);
      if (query) return [query];
      if (parameter?.in === 'path' && parameter.schema.enum)
        return parameter.schema.enum as string[];
      // Of other places, nothing is known.
      if (name === 'select') return ['trace', 'last-llm'];
      if (name === 'days') return ['30'];
      if (name === 'candidateRunIds') return [scored.id];
      // An invitation is open for a month at most.
      if (name === 'expiresAt' && /Invitation$/.test(operation.id)) return [tomorrow];
      if (name === 'userCode') return [userCodes[operation.id]!];
      if (parameter?.in === 'path' && texts[name]) return [texts[name]!];
      if (name === 'id' && ['deleteTestcases', 'tagTestcases'].includes(operation.id))
        return [operation.id === 'tagTestcases' ? changed : ids.testcase];
      if (!name.endsWith('Id') || (parameter?.in !== 'path' && withoutResource.has(name)))
        return undefined;
      const known = idsOf(operation)[kindOfMember.get(name) ?? kindOf(name)];
      if (known === undefined) throw new Error(`${operation.id}: no id is known for ${name}.`);
      return [known];
    },
    objectOf: (name) => objects[name],
    examplesOf(operation, type) {
      if (operation.id === 'uploadAttachment') return [fiveBytesText];
      const { example, examples } = operation.requestBody!.content[type]!;
      const known = Object.entries(idsOf(operation));
      const withKnownIds = (value: unknown): unknown =>
        JSON.parse(
          known.reduce(
            (text, [kind, id]) => text.replaceAll(exampleIds[kind as keyof Ids], id),
            JSON.stringify(value),
          ),
        );
      return Object.values(examples ?? { only: { value: example } }).map(({ value }) =>
        withKnownIds(value),
      );
    },
  };
}

const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString();
const fiveBytesText = 'bytes';
const fiveBytes = {
  sha256: '277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9',
  sizeBytes: 5,
  contentType: 'text/plain',
};

const kindOfMember = new Map<string, keyof Ids>([
  ['productionVersionId', 'systemVersion'],
  ['passingRunId', 'run'],
  ['failingRunId', 'run'],
]);

/** Names of texts that a client makes up. */
const withoutResource = new Set(['linkId', 'otelLinkId', 'clientId', 'sessionId', 'spanId']);

const fieldSchema = fc.constantFrom<object | boolean>(
  { type: 'string' },
  { type: ['number', 'null'], minimum: 0 },
  { enum: [1, 'a', null] },
  true,
  {
    type: 'array',
    items: { $ref: '#' },
  },
);
const option = fc.constantFrom<[string, unknown]>(
  ['output', '/answer'],
  ['expected', '/answer'],
  ['ignoreCase', true],
  ['trim', false],
  ['pattern', '^[a-z]+$'],
  ['pattern', '(a+)+('],
  ['absolute', 0.5],
  ['threshold', 0.5],
  ['schema', { type: 'string' }],
);

/** Objects of which the document says less than its words do. */
const objects: Record<string, fc.Arbitrary<unknown>> = {
  jsonSchema: fc
    .dictionary(fc.constantFrom('question', 'answer', 'toString', 'a.b', ''), fieldSchema)
    .map((properties) => ({ type: 'object', properties })),
  fields: fc.dictionary(
    fc.constantFrom('question', 'answer', 'request', 'toString', ''),
    fc.constantFrom('/inputs/question', '/outputs', '/expected/a~1b/0', '/metadata', 'answer', ''),
  ),
  builtin: fc.record({
    name: fc.constantFrom(...evaluatorNames),
    options: fc.array(option, { maxLength: 4 }).map(Object.fromEntries),
  }),
};
