import { z } from 'zod';
import { question, service } from './define.ts';
import { count } from './fields.ts';

/** A collection, a folder or the messages of a service, and how much of an organization is there. */
export const place = z.object({ place: z.string(), count: count() });
export type Place = z.infer<typeof place>;

/**
 * What the runtime answers for every service with a database, beside the questions of its contract:
 * how an organization is erased, and what is left of it.
 */
export const erasureOf = <Name extends string>(name: Name) =>
  service({
    name,
    summary: 'The erasure of an organization',
    questions: {
      eraseOrganization: question({
        summary:
          'Erase what the service has of the organization, for some seconds; harmless when repeated',
        payload: z.object({}),
        reply: z.object({ isDone: z.boolean() }),
        timeoutMs: 55_000,
      }),
      countOrganization: question({
        summary:
          'What the service has of the organization, in each collection and folder and in the messages that wait',
        payload: z.object({}),
        reply: z.object({ places: z.array(place) }),
        timeoutMs: 55_000,
      }),
    },
  });
export type Erasure = ReturnType<typeof erasureOf>;
