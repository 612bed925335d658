"""An agent of LangGraph with a tool."""
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor
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
LangChainInstrumentor().instrument(tracer_provider=provider)


def track(parcel: int) -> str:
    """Tells where a parcel is."""
    return "late"


agent = create_agent(ChatOpenAI(model="gpt-5-mini"), tools=[track], system_prompt="Be kind.")
labels = {"session_id": "session-1", "user_id": "customer-8", "tags": ["support"], "metadata": {"region": "eu"}}
with using_attributes(**labels):
    agent.invoke({"messages": [{"role": "user", "content": "Where is my parcel?"}]})
provider.shutdown()
