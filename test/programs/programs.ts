/** A trace as it is to be read. */
export interface ExpectedTrace {
  /** As a testcase gets them. */
  input: unknown;
  output: unknown;
  messages: unknown[];
  models: string[];
  /** Those of the input, and those of the output. */
  tokens: [number, number];
  costUsd: number | null;
  costIsPartial: boolean;
  sessionId: string | null;
  userId: string | null;
  tags: string[];
  metadata: Record<string, string>;
  numErrors: number;
}

const question = 'Where is my parcel?';
const answer = 'It arrives tomorrow.';
const system = { role: 'system', content: 'Be kind.' };
const asked = { role: 'user', content: question };
const answered = { role: 'assistant', content: answer };
const tracked = [
  {
    role: 'assistant',
    content: null,
    toolCalls: [{ id: 'call_1', name: 'track', arguments: { parcel: 7 } }],
  },
  { role: 'tool', content: 'late', toolCallId: 'call_1' },
];

const picture = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' };

/** One call of gpt-5-mini, of whose 412 tokens 300 are from the cache. */
const callUsd = (112 * 0.25 + 300 * 0.025 + 67 * 2) / 1e6;

const oneCall: ExpectedTrace = {
  input: question,
  output: answer,
  messages: [system, asked, answered],
  models: ['gpt-5-mini'],
  tokens: [412, 67],
  costUsd: callUsd,
  costIsPartial: false,
  sessionId: null,
  userId: null,
  tags: [],
  metadata: {},
  numErrors: 0,
};
/** The model asks for a tool, and answers when it has the result. */
const withTool: ExpectedTrace = {
  ...oneCall,
  messages: [system, asked, ...tracked, answered],
  tokens: [824, 134],
  costUsd: 2 * callUsd,
};

/** The root says nothing: the trace has the input of its first call and the output of its last. */
const twoCallsOfClaude: ExpectedTrace = {
  ...withTool,
  messages: [system, asked, answered],
  models: ['claude-sonnet-4-5'],
  costUsd: (2 * (112 * 3 + 300 * 0.3 + 67 * 15)) / 1e6,
};
const labels = {
  sessionId: 'session-1',
  userId: 'customer-8',
  tags: ['support'],
  metadata: { region: 'eu' },
};

/** The folder of each program, and its traces in the order in which it prints their ids. */
export const programs: Record<string, ExpectedTrace[]> = {
  'pydantic-ai': [
    { ...withTool, sessionId: 'session-1' },
    { ...oneCall, sessionId: 'session-2' },
    {
      ...oneCall,
      input: 'And now?',
      messages: [system, asked, answered, { role: 'user', content: 'And now?' }, answered],
      sessionId: 'session-2',
    },
  ],
  // The state of the graph does not have the system's prompt.
  'openinference-langchain': [{ ...withTool, ...labels, messages: [asked, ...tracked, answered] }],
  // The cost that the client tells counts. A function has no messages.
  langfuse: [
    { ...oneCall, ...labels, messages: [], costUsd: 0.3 },
    { ...oneCall, costUsd: 0.3 },
  ],
  'openinference-openai': [
    { ...oneCall, ...labels },
    oneCall,
    {
      ...oneCall,
      messages: [
        system,
        { role: 'user', content: [{ type: 'text', text: question }, picture] },
        answered,
      ],
    },
  ],
  'openinference-anthropic': [twoCallsOfClaude],
  // Anthropic’s client makes spans of its own beside these: an answer that both saw counts once.
  'traceloop-anthropic': [twoCallsOfClaude],
};
