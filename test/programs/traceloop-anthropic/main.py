"""A conversation with a tool, by the client of Anthropic, which makes spans of its own beside those of OpenLLMetry."""
from anthropic import Anthropic
from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
AnthropicInstrumentor().instrument(tracer_provider=provider)

schema = {"type": "object", "properties": {"parcel": {"type": "integer"}}}
request = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "system": "Be kind.",
    "tools": [{"name": "track", "description": "Tells where a parcel is.", "input_schema": schema}],
}
client = Anthropic()
messages = [{"role": "user", "content": "Where is my parcel?"}]
with provider.get_tracer("support").start_as_current_span("answer") as root:
    asked = client.messages.create(**request, messages=messages)
    call = asked.content[0]
    messages.append({"role": "assistant", "content": [call.model_dump(exclude_none=True)]})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "late"}
    messages.append({"role": "user", "content": [result]})
    client.messages.create(**request, messages=messages)
provider.shutdown()
print(format(root.get_span_context().trace_id, "032x"))
