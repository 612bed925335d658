"""A generation with its usage and cost: below a function that is observed, and alone."""
from langfuse import Langfuse, observe, propagate_attributes
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

client = Langfuse(public_key="pk-lf-1", secret_key="sk-lf-1", span_exporter=OTLPSpanExporter())
messages = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Where is my parcel?"},
]
trace_ids: dict[str, None] = {}


def generate() -> str:
    with client.start_as_current_observation(
        as_type="generation", name="generate", model="gpt-5-mini", input=messages
    ) as generation:
        trace_ids[generation.trace_id] = None
        generation.update(
            output={"role": "assistant", "content": "It arrives tomorrow."},
            usage_details={"input": 412, "output": 67, "input_cached_tokens": 300},
            cost_details={"total": 0.3},
        )
    return "It arrives tomorrow."


@observe()
def reply(question: str) -> str:
    labels = {"session_id": "session-1", "user_id": "customer-8", "tags": ["support"], "metadata": {"region": "eu"}}
    with propagate_attributes(**labels):
        return generate()


reply("Where is my parcel?")
generate()
client.flush()
print(*trace_ids, sep="\n")
