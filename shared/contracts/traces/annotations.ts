import { z } from 'zod';
import { opinion, opinionBody, opinionFacts } from '../annotation-fields.ts';
import { operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, success, timestamp } from '../fields.ts';
import { spanId, traceId } from './ids.ts';

/** Annotations that a trace has at most. */
export const traceAnnotationsMax = 100;

export const traceAnnotation = z
  .object({
    id: id(),
    traceId,
    spanId: z
      .string()
      .nullable()
      .meta({ description: 'The span that it is about; null for the whole trace.' }),
    ...opinion,
    ...opinionFacts,
    userId: z.string().meta({ description: 'The member who wrote it.' }),
    createdAt: timestamp(),
  })
  .meta({
    id: 'TraceAnnotation',
    description: 'What a person says of a trace, or of a span in it.',
    examples: [
      {
        id: exampleIds.annotation,
        traceId: exampleIds.trace,
        spanId: exampleIds.span,
        rating: false,
        comment: 'Looked up another parcel.',
        mentions: [],
        editedAt: null,
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });
export type TraceAnnotation = z.infer<typeof traceAnnotation>;

/** The annotations of traces and their spans. */
export const traceAnnotationOperations = {
  createTraceAnnotation: operation({
    method: 'POST',
    path: '/traces/:traceId/annotations',
    params: { traceId },
    summary: 'Annotate a trace or a span of it: a rating, a comment, or both',
    description: `The trace is kept beyond its retention. It has ${traceAnnotationsMax} annotations at most, which are read with it.`,
    body: z.object({
      ...opinionBody,
      spanId: spanId.nullish(),
    }),
    reply: traceAnnotation,
    status: 201,
    example: {
      body: { rating: false, comment: 'Looked up another parcel.', spanId: exampleIds.span },
    },
  }),
  updateTraceAnnotation: operation({
    method: 'PATCH',
    path: '/traces/:traceId/annotations/:annotationId',
    params: { traceId },
    summary: 'Change the rating or the comment of an annotation of a trace',
    description: 'Open to its author.',
    body: z.object(opinionBody),
    reply: traceAnnotation,
    status: 200,
    failures: ['FORBIDDEN'],
    example: { body: { comment: 'Looked up the parcel of another customer.' } },
  }),
  deleteTraceAnnotation: operation({
    method: 'DELETE',
    path: '/traces/:traceId/annotations/:annotationId',
    params: { traceId },
    summary: 'Delete an annotation of a trace; the trace stays kept',
    description: 'Open to its author and to admins.',
    reply: success,
    status: 200,
    failures: ['FORBIDDEN'],
  }),
};
