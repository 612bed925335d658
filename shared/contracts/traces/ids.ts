import { text } from '../fields.ts';

/** The id of a trace; one of another form is like one that nobody has. */
export const traceId = text(64, 1).meta({
  description: 'The id of a trace, as OpenTelemetry has it: 32 hexadecimal digits.',
});

/** The id of a span; one of another form is like one that nobody has. */
export const spanId = text(64, 1).meta({
  description: 'The id of a span, as OpenTelemetry has it: 16 hexadecimal digits.',
});
