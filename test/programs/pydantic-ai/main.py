"""An agent with a tool, one with instructions, and its second turn."""
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai import Agent, InstrumentationSettings


class PrintRoots(SpanProcessor):
    def on_start(self, span, parent_context=None):
        if span.parent is None:
            print(format(span.context.trace_id, "032x"))


provider = TracerProvider()
provider.add_span_processor(PrintRoots())
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))

agent = Agent("openai-chat:gpt-5-mini", system_prompt="Be kind.")


@agent.tool_plain
def track(parcel: int) -> str:
    return "late"


agent.run_sync("Where is my parcel?", conversation_id="session-1")

instructed = Agent("openai-chat:gpt-5-mini", instructions="Be kind.")
first = instructed.run_sync("Where is my parcel?", conversation_id="session-2")
instructed.run_sync("And now?", conversation_id="session-2", message_history=first.all_messages())
provider.shutdown()
