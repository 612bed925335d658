import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import {
  type MockProviders,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';
import {
  aiSdkConversation,
  javascriptSpans,
  openInferenceConversation,
  pythonSpans,
  traceloopConversation,
  wrapConversation,
} from './instrumented.ts';
import { npmPackages, pythonPackages, run } from './packages.ts';

/**
 * Published exporters and instrumentations, told where to send by the variables of docs/traces.md. Of Traceloop it
 * is the instrumentation that its SDK starts, without the thirty others that the SDK installs.
 */
const npm = () =>
  npmPackages(
    '@opentelemetry/api@1.9.1',
    '@opentelemetry/exporter-trace-otlp-proto@0.223.0',
    '@opentelemetry/exporter-trace-otlp-http@0.223.0',
    '@opentelemetry/sdk-trace-node@2.12.0',
    'ai@6.0.325',
    '@ai-sdk/openai@3.0.141',
  );
const pip = () =>
  pythonPackages(
    'scorecard-ai==3.10.0',
    'openai==3.57.0',
    'opentelemetry-exporter-otlp-proto-http==1.45.2',
    'openinference-instrumentation-openai==0.1.66',
    'opentelemetry-instrumentation-openai==0.62.4',
  );

let assay: SharedInstallation;
let model: MockProviders;
let projectId: string;
let packages: Record<Language, string | null>;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  packages = { JavaScript: await npm(), Python: await pip() };
  assay = await shareInstallation();
  model = await startMockProviders(({ body }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(completionOf(body)),
  }));
  const project = { name: 'Traced', description: '' };
  projectId = (await assay.call('POST', '/projects', project)).body.id;
  environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${assay.url}/otel/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${assay.key}`,
    OTEL_RESOURCE_ATTRIBUTES: `service.name=support-bot,assay.project_id=${projectId}`,
    SCORECARD_TRACING_URL: `${assay.url}/otel/v1/traces`,
    SCORECARD_API_KEY: assay.key,
    SCORECARD_PROJECT_ID: projectId,
    OPENAI_API_KEY: 'openai-key',
    OPENAI_BASE_URL: model.config().OPENAI_BASE_URL,
  };
});
afterAll(() => model?.stop());

/** The model asks for a tool first, and answers when it has the result. */
function completionOf({ messages }: { messages: { role: string }[] }): object {
  const isTracked = messages.some(({ role }) => role === 'tool');
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'track', arguments: '{"parcel":7}' },
  };
  const message = isTracked ? { content: 'It arrives tomorrow.' } : { tool_calls: [call] };
  const [input, output] = isTracked ? [40, 6] : [20, 4];
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5-mini',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, ...message },
        finish_reason: isTracked ? 'stop' : 'tool_calls',
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input! + output! },
  };
}

type Language = 'JavaScript' | 'Python';

interface Program {
  name: string;
  language: Language;
  code: string;
}

const withoutPackages = {
  JavaScript: 'The registry of npm cannot be reached.',
  Python: 'Python or its package registry cannot be reached.',
};

/** Runs a program, and returns the ids of its traces. */
async function tracesBy({ language, code }: Program, context: TestContext): Promise<string[]> {
  const folder = packages[language] ?? context.skip(withoutPackages[language]);
  const command = {
    JavaScript: [process.execPath, '--input-type=module', '-e'],
    Python: ['python3', '-c'],
  };
  const [program, ...options] = command[language];
  const { stdout } = await run(program!, [...options, code], {
    cwd: folder,
    env: { ...environment, PYTHONPATH: folder },
  });
  return stdout.trim().split('\n');
}

const get = async (path: string) => (await assay.call('GET', path)).body;

interface Line {
  spanId: string;
  name: string;
  operation: string | null;
}
const spansOf = async (traceId: string): Promise<Line[]> =>
  (await get(`/traces/${traceId}/spans`)).data;

describe.concurrent('spans of published packages', () => {
  test.for<Program & { traces: number }>([
    {
      name: 'JavaScript, in protobuf and JSON, with gzip and without',
      language: 'JavaScript',
      code: javascriptSpans,
      traces: 4,
    },
    { name: 'Python', language: 'Python', code: pythonSpans, traces: 1 },
  ])(
    'are there, each once, with all that was said of them: the exporter of $name',
    async (program, context) => {
      const traceIds = await tracesBy(program, context);
      expect(traceIds).toHaveLength(program.traces);
      for (const traceId of traceIds) await hasAllSpans(traceId, program.language);
    },
  );

  async function hasAllSpans(traceId: string, language: Language): Promise<void> {
    expect(await get(`/traces/${traceId}`)).toMatchObject({
      projectId,
      isProjectGuessed: false,
      name: 'answer',
      serviceName: 'support-bot',
      // More than an exporter has in one request.
      numSpans: 602,
      numErrors: 1,
    });
    const spans = await spansOf(traceId);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(602);
    const idOf = (name: string) => spans.find((span) => span.name === name)!.spanId;
    const nested = {
      nested: { deep: [1, { b: 'c' }] },
      bytes: Buffer.from('ab').toString('base64'),
    };
    expect(await get(`/traces/${traceId}/spans/${idOf('answer')}`)).toMatchObject({
      parentSpanId: null,
      status: 'ok',
      attributes: {
        text: 'ä',
        whole: 7,
        half: 0.5,
        yes: true,
        list: ['a', 'b'],
        ...(language === 'Python' ? nested : {}),
      },
      scope: { name: 'support', version: '1.2.3' },
    });
    expect(await get(`/traces/${traceId}/spans/${idOf('call')}`)).toMatchObject({
      parentSpanId: idOf('answer'),
      kind: 'client',
      status: 'error',
      statusMessage: 'It broke.',
      events: [
        { name: 'half way', attributes: { percent: 50 } },
        { name: 'exception', attributes: { 'exception.message': 'It broke.' } },
      ],
      links: [{ traceId, spanId: idOf('answer'), attributes: { why: 'because' } }],
    });
  }

  const conversations: Program[] = [
    { name: 'Vercel’s AI SDK', language: 'JavaScript', code: aiSdkConversation },
    { name: 'OpenInference', language: 'Python', code: openInferenceConversation },
    { name: 'Traceloop’s OpenLLMetry', language: 'Python', code: traceloopConversation },
    { name: 'Scorecard’s wrap()', language: 'Python', code: wrapConversation },
  ];
  test.for(conversations)(
    'tell the input, output, model and tokens of a conversation, in the trace and in its calls: $name',
    async (program, context) => {
      const traceId = (await tracesBy(program, context))[0]!;
      const trace = await poll('the trace is settled', async () => {
        const given = await get(`/traces/${traceId}`);
        return given.isSettled && given;
      });
      expect(trace).toMatchObject({
        projectId,
        isProjectGuessed: false,
        name: 'answer',
        serviceName: 'support-bot',
        models: ['gpt-5-mini'],
        provider: 'openai',
        inputTokens: 60,
        outputTokens: 10,
        totalTokens: 70,
        inputPreview: 'Where is my parcel?',
        outputPreview: 'It arrives tomorrow.',
      });
      const calls = (await spansOf(traceId)).filter(({ operation }) => operation === 'chat');
      const [first, second] = await Promise.all(
        calls.map(({ spanId }) => get(`/traces/${traceId}/spans/${spanId}`)),
      );
      const question = [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is my parcel?' },
      ];
      const toolCalls = [{ id: 'call_1', name: 'track', arguments: { parcel: 7 } }];
      const asked = { role: 'assistant', content: null };
      expect(first).toMatchObject({
        model: 'gpt-5-mini',
        tokens: { input: 20, output: 4, total: 24 },
        input: question,
        // wrap() keeps no calls of tools that the model asks for, so that nothing is left of the answer.
        output: program.code === wrapConversation ? null : [{ ...asked, toolCalls }],
      });
      expect(second).toMatchObject({
        model: 'gpt-5-mini',
        tokens: { input: 40, output: 6, total: 46 },
        input: [
          ...question,
          { ...asked, toolCalls },
          { role: 'tool', content: 'late', toolCallId: 'call_1' },
        ],
        output: [{ role: 'assistant', content: 'It arrives tomorrow.' }],
      });
    },
  );
});
