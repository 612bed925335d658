/** How one kind of instrumentation is told to send its spans here. */
export interface Instrumentation {
  name: string;
  /** Anything else that it needs, in a sentence. */
  about: string;
  lines: string;
}

/** Stands for an API key in the lines. A space in a header is written `%20` there. */
const key = 'YOUR_API_KEY';

/**
 * The settings of each instrumentation, to paste into a terminal or an .env file.
 * @param address such as `https://assay.example.com`, with the path of the installation
 */
export function instrumentationsFor(address: string, projectId: string): Instrumentation[] {
  const traces = `${address}/otel/v1/traces`;
  const project = `OTEL_RESOURCE_ATTRIBUTES="assay.project_id=${projectId}"`;
  const headers = `OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${key}"`;
  const otlp = [
    `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="${traces}"`,
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL="http/protobuf"',
    headers,
    project,
  ];
  return [
    {
      name: 'OpenTelemetry',
      about: 'Any SDK or collector that sends OTLP over HTTP, in protobuf or JSON.',
      lines: exported(otlp),
    },
    {
      name: 'Traceloop',
      about: 'OpenLLMetry, in Python and TypeScript.',
      lines: exported([
        `TRACELOOP_BASE_URL="${address}/otel"`,
        `TRACELOOP_HEADERS="Authorization=Bearer%20${key}"`,
        project,
      ]),
    },
    {
      name: 'OpenInference',
      about: 'Give its instrumentor a tracer provider with an OTLP exporter, which reads these.',
      lines: exported(otlp),
    },
    {
      name: 'Vercel AI SDK',
      about:
        'Begin OpenTelemetry, such as by registerOTel of @vercel/otel, and switch the telemetry of each call on: experimental_telemetry: { isEnabled: true }.',
      lines: exported(otlp),
    },
    {
      name: 'Scorecard’s SDK',
      about:
        'wrap() and wrapAISDK() of TypeScript read these. wrap() of Python needs the address as its argument "endpoint", and sends to Scorecard without it.',
      lines: exported([
        `SCORECARD_TRACING_URL="${traces}"`,
        `SCORECARD_API_KEY="${key}"`,
        `SCORECARD_PROJECT_ID="${projectId}"`,
      ]),
    },
    {
      name: 'Claude Agent SDK',
      about: 'And Claude Code: no change of the program.',
      lines: exported([
        'ENABLE_BETA_TRACING_DETAILED=1',
        `BETA_TRACING_ENDPOINT="${address}/otel"`,
        headers,
        project,
      ]),
    },
  ];
}

const exported = (lines: string[]): string => lines.map((line) => `export ${line}`).join('\n');
