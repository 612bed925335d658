import { blocksOf } from '../pages/blocks.ts';

/** Programs that print the ids of their traces, a line each, for packages that are published. */

/** 602 spans by each exporter of OpenTelemetry for JavaScript: in protobuf and JSON, with gzip and without. */
export const javascriptSpans = `
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
const exporters = [JsonExporter, ProtobufExporter].flatMap((Exporter) =>
  ['gzip', 'none'].map((compression) => new Exporter({ compression })),
);
for (const exporter of exporters) {
  const provider = new NodeTracerProvider({
    resource: detectResources({ detectors: [envDetector] }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('support', '1.2.3');
  const root = tracer.startSpan('answer', {
    attributes: { text: 'ä', whole: 7, half: 0.5, yes: true, list: ['a', 'b'] },
  });
  const below = trace.setSpan(context.active(), root);
  const links = [{ context: root.spanContext(), attributes: { why: 'because' } }];
  const call = tracer.startSpan('call', { kind: SpanKind.CLIENT, links }, below);
  call.addEvent('half way', { percent: 50 });
  call.recordException(new Error('It broke.'));
  call.setStatus({ code: SpanStatusCode.ERROR, message: 'It broke.' });
  call.end();
  for (let step = 0; step < 600; step++) tracer.startSpan('step', {}, below).end();
  root.setStatus({ code: SpanStatusCode.OK });
  root.end();
  await provider.shutdown();
  console.log(root.spanContext().traceId);
}
`;

const provider = `
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
`;

/** The same spans in Python, which knows attributes within each other. */
export const pythonSpans = `
from opentelemetry.trace import Link, SpanKind, Status, StatusCode
${provider}
tracer = provider.get_tracer("support", "1.2.3")
attributes = {"text": "ä", "whole": 7, "half": 0.5, "yes": True, "list": ["a", "b"], "nested": {"deep": [1, {"b": "c"}]}, "bytes": b"ab"}
with tracer.start_as_current_span("answer", attributes=attributes) as root:
    links = [Link(root.get_span_context(), {"why": "because"})]
    with tracer.start_as_current_span("call", kind=SpanKind.CLIENT, links=links) as call:
        call.add_event("half way", {"percent": 50})
        call.record_exception(ValueError("It broke."))
        call.set_status(Status(StatusCode.ERROR, "It broke."))
    for step in range(600):
        tracer.start_span("step").end()
    root.set_status(Status(StatusCode.OK))
provider.shutdown()
print(format(root.get_span_context().trace_id, "032x"))
`;

/** A conversation of two calls of a model and one of a tool, of the AI SDK. */
export const aiSdkConversation = `
import { openai } from '@ai-sdk/openai';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
const provider = new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const inputSchema = jsonSchema({ type: 'object', properties: { parcel: { type: 'integer' } } });
const root = await trace.getTracer('support').startActiveSpan('answer', async (root) => {
  await generateText({
    model: openai.chat('gpt-5'),
    system: 'Be kind.',
    prompt: 'Where is my parcel?',
    tools: { track: tool({ inputSchema, execute: async () => 'late' }) },
    stopWhen: stepCountIs(3),
    experimental_telemetry: { isEnabled: true, metadata: { sessionId: 'session-1', userId: 'customer-8' } },
  });
  root.end();
  return root;
});
await provider.shutdown();
console.log(root.spanContext().traceId);
`;

/** The same conversation by the client of OpenAI for Python, after some lines that have it make spans. */
const conversation = (instrument: string) => `
from openai import OpenAI
client = OpenAI()
${instrument}
parameters = {"type": "object", "properties": {"parcel": {"type": "integer"}}}
tools = [{"type": "function", "function": {"name": "track", "parameters": parameters}}]
messages = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Where is my parcel?"},
]
with provider.get_tracer("support").start_as_current_span("answer") as root:
    asked = client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
    messages.append(asked.choices[0].message.model_dump(exclude_none=True))
    messages.append({"role": "tool", "tool_call_id": "call_1", "content": "late"})
    client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
provider.force_flush()
print(format(root.get_span_context().trace_id, "032x"))
`;

export const openInferenceConversation = conversation(`${provider}
from openinference.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)
`);

export const traceloopConversation = conversation(`${provider}
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)
`);

/** With the lines of docs/from-scorecard.md. */
export const wrapConversation = conversation(`
${blocksOf('docs/from-scorecard.md').find(({ text }) => text.includes('wrap('))!.text}
from opentelemetry import trace
provider = trace.get_tracer_provider()
`);
