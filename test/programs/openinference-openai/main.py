"""A chat, a response and a picture, each in a trace of its own."""
from openai import OpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


class PrintRoots(SpanProcessor):
    def on_start(self, span, parent_context=None):
        if span.parent is None:
            print(format(span.context.trace_id, "032x"))


provider = TracerProvider()
provider.add_span_processor(PrintRoots())
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
OpenAIInstrumentor().instrument(tracer_provider=provider)

client = OpenAI()
system = {"role": "system", "content": "Be kind."}
question = "Where is my parcel?"
labels = {"session_id": "session-1", "user_id": "customer-8", "tags": ["support"], "metadata": {"region": "eu"}}
with using_attributes(**labels):
    client.chat.completions.create(model="gpt-5-mini", messages=[system, {"role": "user", "content": question}])
client.responses.create(model="gpt-5-mini", instructions="Be kind.", input=question)
parts = [
    {"type": "text", "text": question},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
]
client.chat.completions.create(model="gpt-5-mini", messages=[system, {"role": "user", "content": parts}])
provider.shutdown()
