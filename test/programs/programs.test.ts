import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import type { MockProviders } from '../../services/scoring/test/mock-providers.ts';
import { type SharedInstallation, shareInstallation } from '../system/installation.ts';
import { run } from '../system/packages.ts';
import { installProgram } from './install.ts';
import { startModel } from './parcel-model.ts';
import { type ExpectedTrace, programs } from './programs.ts';

let assay: SharedInstallation;
let model: MockProviders;
let testsetId: string;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  assay = await shareInstallation();
  model = await startModel();
  const project = (await assay.call('POST', '/projects', { name: 'Traced', description: '' })).body;
  const testset = await assay.call('POST', `/projects/${project.id}/testsets`, {
    name: 'Of traces',
    description: '',
    jsonSchema: { type: 'object' },
    fieldMapping: { inputs: ['input'], expected: [], metadata: [] },
  });
  testsetId = testset.body.id;
  const endpoint = `${assay.url}/otel/v1/traces`;
  environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${assay.url}/otel`,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${assay.key}`,
    OTEL_RESOURCE_ATTRIBUTES: `service.name=support-bot,assay.project_id=${project.id}`,
    OPENAI_API_KEY: 'openai-key',
    OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/openai/v1`,
    ANTHROPIC_API_KEY: 'anthropic-key',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}/anthropic`,
  };
});
afterAll(() => model?.stop());

/** Runs a program, and returns the ids of its traces. */
async function tracesBy(name: string, context: TestContext): Promise<string[]> {
  const { command, options, ...program } = await installProgram(name).catch((error) =>
    context.skip(`It cannot be installed from its pins: ${error.message.slice(-600)}`),
  );
  const { stdout } = await run(command, options, {
    env: { ...environment, ...program.environment },
    timeout: 120_000,
  });
  // Libraries print, too: a trace's id stands alone in its line.
  return stdout.split('\n').filter((line) => /^[0-9a-f]{32}$/.test(line));
}

async function settledTrace(traceId: string) {
  const trace = await poll(`the trace ${traceId} is settled`, async () => {
    const { body } = await assay.call('GET', `/traces/${traceId}`);
    return body.isSettled && body;
  });
  const { inputTokens, outputTokens, costUsd, costIsPartial } = trace;
  const { models, sessionId, userId, tags, metadata, numErrors } = trace;
  const mapping = {
    input: '/input',
    output: '/output',
    inputMessages: '/inputMessages',
    outputMessages: '/outputMessages',
  };
  const made = await assay.call('POST', `/testsets/${testsetId}/testcases/from-traces`, {
    traceIds: [traceId],
    mapping,
    dryRun: true,
  });
  const { input, output, inputMessages, outputMessages } = made.body.items[0].jsonData;
  return {
    input,
    output,
    messages: [...(inputMessages ?? []), ...(outputMessages ?? [])],
    models,
    tokens: [inputTokens, outputTokens],
    costUsd,
    costIsPartial,
    sessionId,
    userId,
    tags,
    metadata,
    numErrors,
  };
}

/** Prices are sums of fractions. */
const nearly = ({ costUsd, ...expected }: ExpectedTrace) => ({
  ...expected,
  costUsd: costUsd === null ? null : expect.closeTo(costUsd, 9),
});

describe('what a program sends is read', () => {
  test.for(Object.entries(programs))('of %s', async ([name, expected], context) => {
    const traceIds = await tracesBy(name, context);
    const traces = await Promise.all(traceIds.map(settledTrace));
    expect(traces).toEqual(expected.map(nearly));
  });
});
