import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { count, timestamp } from '../fields.ts';
import { linkedRecord } from '../run-records/linked-records.ts';
import { traceAnnotation } from './annotations.ts';
import { spanId, traceId } from './ids.ts';

/** Characters of a preview. */
export const previewCharactersMax = 200;

const optionalText = z.string().nullable();
const optionalCount = z.number().nullable();
const duration = z.number().min(0).meta({ description: 'In milliseconds, with fractions.' });

const previews = {
  inputPreview: optionalText.meta({
    description: `The first ${previewCharactersMax} characters of what went in; null where nothing says.`,
  }),
  outputPreview: optionalText.meta({
    description: `The first ${previewCharactersMax} characters of what came out; null where nothing says.`,
  }),
};

const costUsd = z.number().min(0).nullable().meta({
  description:
    'By the price of each model that answered, or as the client gave it; null where nothing of it is known.',
});

const exampleEvaluation = {
  name: 'politeness',
  score: 0.9,
  label: 'polite',
  explanation: 'The answer is kind.',
};

const evaluation = z
  .object({
    name: z.string(),
    score: z.number().nullable().meta({ description: 'As a number.' }),
    label: optionalText.meta({ description: 'As a word.' }),
    explanation: optionalText.meta({ description: 'The reason for it.' }),
  })
  .meta({
    id: 'TraceEvaluation',
    description:
      'A score that its client sent: an event `gen_ai.evaluation.result`, or an annotation of OpenInference.',
    examples: [exampleEvaluation],
  });

export const exampleTrace = {
  traceId: exampleIds.trace,
  projectId: exampleIds.project,
  isProjectGuessed: false,
  name: 'answer-question',
  serviceName: 'support-bot',
  startedAt: exampleInstant,
  durationMs: 840.25,
  numSpans: 3,
  numErrors: 0,
  models: ['gpt-5-mini'],
  provider: 'openai',
  inputTokens: 412,
  outputTokens: 67,
  totalTokens: 479,
  costUsd: 0.000237,
  sessionId: 'session-1',
  userId: 'customer-8',
  tags: ['production'],
  metadata: { region: 'eu' },
  linkIds: ['parcel-8'],
  groupId: null,
  evaluations: [exampleEvaluation],
  inputPreview: 'Where is my parcel?',
  outputPreview: 'It arrives tomorrow.',
  isSettled: true,
  expiresAt: '2026-03-31T09:30:00.000Z',
};

export const trace = z
  .object({
    traceId,
    projectId: z.uuid(),
    isProjectGuessed: z.boolean().meta({
      description:
        'The spans named no project of the organization: the trace is in its oldest project.',
    }),
    name: z.string().meta({ description: 'The name of its root span, or of its first span.' }),
    serviceName: optionalText.meta({ description: 'The `service.name` of its spans.' }),
    startedAt: timestamp().meta({ description: 'When its first span began.' }),
    durationMs: duration,
    numSpans: count().meta({ description: 'Spans that it has.' }),
    numErrors: count().meta({ description: 'Spans that ended with an error.' }),
    models: z.array(z.string()).meta({ description: 'The models that its spans called.' }),
    provider: optionalText.meta({ description: 'Whose models they are, such as `openai`.' }),
    inputTokens: optionalCount.meta({
      description: 'Of all calls of models, as their client counts them.',
    }),
    outputTokens: optionalCount.meta({
      description: 'Of all calls of models, as their client counts them.',
    }),
    totalTokens: optionalCount.meta({ description: 'Of both.' }),
    costUsd,
    costIsPartial: z.boolean().meta({
      description:
        'Whether a call has neither a cost of its own nor a model whose price is known: then `costUsd` is the least that the trace cost.',
    }),
    sessionId: optionalText.meta({ description: 'The conversation that its spans name.' }),
    userId: optionalText.meta({ description: "The system's own user, as its spans name them." }),
    tags: z.array(z.string()).meta({ description: 'The tags that its spans name.' }),
    metadata: z
      .record(z.string(), z.string())
      .meta({ description: 'What else its spans say of it.' }),
    linkIds: z.array(z.string()).meta({
      description: 'What its spans name by `scorecard.otel_link_id` or `assay.otel_link_id`.',
    }),
    groupId: optionalText.meta({
      description:
        'What its spans name by `scorecard.tracing_group_id` or `assay.tracing_group_id`.',
    }),
    evaluations: z.array(evaluation).meta({ description: 'Scores that came with its spans.' }),
    ...previews,
    isSettled: z.boolean().meta({
      description:
        'Nothing has come for some seconds, and its numbers are exact; until then they are estimates. A later span opens it again.',
    }),
    expiresAt: timestamp().nullable().meta({
      description: 'When it is deleted; null where it is kept.',
    }),
    records: z.array(linkedRecord).optional().meta({
      description:
        'The newest records whose `otelLinkId` is its id or one of its link ids, up to 20; of a list where it was asked for, and then up to 500 of all traces of the page. Left out while run-records does not answer within two seconds.',
    }),
    annotations: z.array(traceAnnotation).optional().meta({
      description: 'What people say of it, oldest first; only where a single trace is read.',
    }),
  })
  .meta({
    id: 'Trace',
    description: 'What happened in one request of a system.',
    examples: [exampleTrace],
  });

const tokens = z
  .object({
    input: optionalCount.meta({
      description: 'Of the prompt, as its client counts them.',
    }),
    output: optionalCount.meta({ description: 'Of the answer, as its client counts them.' }),
    total: optionalCount.meta({ description: 'Of both.' }),
    cacheRead: optionalCount.meta({
      description: "Of the prompt, read from the provider's cache.",
    }),
    cacheCreation: optionalCount.meta({
      description: "Of the prompt, written to the provider's cache.",
    }),
    reasoning: optionalCount.meta({ description: 'Of the answer, for reasoning.' }),
  })
  .meta({
    id: 'SpanTokens',
    description: 'The tokens of a call of a model, as its span gives them.',
  });

const spanFields = {
  spanId,
  parentSpanId: spanId.nullable(),
  name: z.string(),
  kind: z
    .enum(['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'])
    .meta({ description: 'The `SpanKind` of OpenTelemetry.' }),
  operation: z
    .enum(['chat', 'tool', 'agent', 'retrieval', 'embedding', 'evaluation', 'workflow'])
    .nullable()
    .meta({ description: 'What the span does, by the attributes of its instrumentation.' }),
  startedAt: timestamp().meta({ description: 'When it began.' }),
  durationMs: duration,
  status: z
    .enum(['unset', 'ok', 'error'])
    .meta({ description: 'How it ended, as its client says.' }),
  statusMessage: z
    .string()
    .meta({ description: 'Why it ended with an error, as its client says.' }),
  model: optionalText.meta({ description: 'The model that answered, or was asked.' }),
  tokens,
  costUsd,
};

const exampleTokens = {
  input: 412,
  output: 67,
  total: 479,
  cacheRead: null,
  cacheCreation: null,
  reasoning: null,
};

const exampleSpan = {
  spanId: exampleIds.span,
  parentSpanId: null,
  name: 'chat gpt-5-mini',
  kind: 'client' as const,
  operation: 'chat' as const,
  startedAt: exampleInstant,
  durationMs: 790.5,
  status: 'unset' as const,
  statusMessage: '',
  model: 'gpt-5-mini',
  tokens: exampleTokens,
  costUsd: 0.000237,
};

export const listedSpan = z.object({ ...spanFields, ...previews }).meta({
  id: 'ListedSpan',
  description: 'A span without its large values.',
  examples: [
    {
      ...exampleSpan,
      inputPreview: 'Where is my parcel?',
      outputPreview: 'It arrives tomorrow.',
    },
  ],
});

const attributes = z.record(z.string(), z.unknown()).meta({
  description:
    'As the client sent them. Integers that a number of JSON cannot hold are texts, and bytes are base64.',
});

const message = z
  .object({
    role: z.string().meta({ description: 'Such as `system`, `user`, `assistant` or `tool`.' }),
    content: z.unknown().meta({
      description:
        'A text; where it is more, a list of `{ "type": "text", "text" }`, `{ "type": "image", "url" }` (an address or a `data:` URL), and other parts as they came; of a tool, its result.',
    }),
    reasoning: z
      .string()
      .optional()
      .meta({ description: 'What the model thought before it said this, where it shows that.' }),
    toolCalls: z
      .array(
        z.object({
          id: z.string().optional(),
          name: z.string(),
          arguments: z.unknown().meta({ description: 'What the tool is given.' }),
        }),
      )
      .optional()
      .meta({ description: 'The tools that the model asks for.' }),
    toolCallId: z.string().optional().meta({ description: 'The call that a tool answers.' }),
  })
  .meta({
    id: 'TraceMessage',
    description: 'A message of a conversation, in one shape for all instrumentations.',
  });

const question = { role: 'user', content: 'Where is my parcel?' };
const answer = { role: 'assistant', content: 'It arrives tomorrow.' };

const stepKinds = ['tool', 'retrieval', 'agent', 'evaluation'] as const;

export const conversation = z
  .object({
    messages: z.array(message).meta({
      description:
        'What was said, to the answer that ends it; where the trace tells no messages, its input and output as if they had been said.',
    }),
    steps: z
      .array(
        z.object({
          spanId,
          name: z.string().meta({ description: 'Of the span.' }),
          kind: z.enum(stepKinds).meta({ description: 'What the system did.' }),
          arguments: z.unknown().meta({ description: 'What went in; null where nothing says.' }),
          result: z.unknown().meta({ description: 'What came out; null where nothing says.' }),
          error: optionalText.meta({ description: 'Why it failed; null where it did not.' }),
          startedAt: timestamp().meta({ description: 'When it began.' }),
          durationMs: z.number().meta({ description: 'How long it took.' }),
        }),
      )
      .meta({
        description:
          'What the system did for the answer, in the order in which it began. Calls of models are told by the messages.',
      }),
    isCut: z.boolean().meta({
      description:
        'The earliest messages or the last steps were left out, or a text or picture was cut: the whole is in the spans.',
    }),
  })
  .meta({
    id: 'TraceConversation',
    description: 'A trace as a person reads it, in one form for all instrumentations.',
    examples: [
      {
        messages: [question, answer],
        steps: [
          {
            spanId: exampleSpan.spanId,
            name: 'track',
            kind: 'tool',
            arguments: { parcel: 7 },
            result: 'late',
            error: null,
            startedAt: exampleSpan.startedAt,
            durationMs: 12,
          },
        ],
        isCut: false,
      },
    ],
  });

export const span = z
  .object({
    ...spanFields,
    provider: optionalText.meta({ description: 'Whose model it is, such as `openai`.' }),
    input: z.unknown().meta({ description: 'What went in; null where nothing says.' }),
    output: z.unknown().meta({ description: 'What came out; null where nothing says.' }),
    inputMessages: z
      .array(message)
      .meta({ description: 'What went in, as a conversation; empty where it is none.' }),
    outputMessages: z
      .array(message)
      .meta({ description: 'What came out, as a conversation; empty where it is none.' }),
    evaluations: z.array(evaluation).meta({ description: 'Scores that came with it.' }),
    from: z.record(z.string(), z.string()).meta({
      description: 'The attribute or event of which each derived field was read.',
    }),
    attributes,
    events: z
      .array(
        z.object({
          name: z.string(),
          at: timestamp().meta({ description: 'When it happened.' }),
          attributes,
        }),
      )
      .meta({ description: 'What happened in it, as its client sent it.' }),
    links: z
      .array(z.object({ traceId: z.string(), spanId: z.string(), attributes }))
      .meta({ description: 'Spans of other traces that it belongs to.' }),
    resource: attributes,
    scope: z
      .object({
        name: z.string(),
        version: z.string().meta({ description: 'Of the instrumentation.' }),
        attributes,
      })
      .meta({ description: 'The instrumentation that made it.' }),
  })
  .meta({
    id: 'Span',
    description: 'One step of a trace, with everything that its client sent.',
    examples: [
      {
        ...exampleSpan,
        provider: 'openai',
        input: [question],
        output: [answer],
        inputMessages: [question],
        outputMessages: [answer],
        evaluations: [exampleEvaluation],
        from: { input: 'gen_ai.input.messages', output: 'gen_ai.output.messages' },
        attributes: { 'gen_ai.request.model': 'gpt-5-mini' },
        events: [],
        links: [],
        resource: { 'service.name': 'support-bot' },
        scope: { name: 'openai', version: '1.0.0', attributes: {} },
      },
    ],
  });

export type Evaluation = z.infer<typeof evaluation>;
export type Trace = z.infer<typeof trace>;
export type ListedSpan = z.infer<typeof listedSpan>;
export type TraceConversation = z.output<typeof conversation>;
export type TraceSpan = z.infer<typeof span>;
