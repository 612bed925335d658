import { z } from 'zod';
import { operation } from '../define.ts';
import { count } from '../fields.ts';

/**
 * The lines of one kind that are read of a service: those of a project or, of testcases and
 * records, those of the testset or run that holds them.
 */
const exportedPart = z.object({ kind: z.string(), of: z.string() });
export type ExportedPart = z.infer<typeof exportedPart>;

/** How a service hands out its part of a project: for the transfers service. */
export const partExport = <const Name extends string>(service: Name) =>
  operation({
    method: 'POST',
    path: `/internal/${service}/part/export`,
    summary: 'The lines of one kind of a project that is exported; for the transfers service',
    access: 'service',
    body: exportedPart,
    replyStreams: ['application/x-ndjson'],
    status: 200,
  });

/** How a service takes in its part of a project: for the transfers service. */
export const partRestore = <const Name extends string>(service: Name) =>
  operation({
    method: 'POST',
    path: `/internal/${service}/part/restore`,
    summary:
      'Store lines of a project that is being imported, hidden; a repeat changes nothing; for the transfers service',
    access: 'service',
    query: z.object({ projectId: z.string() }),
    streams: ['application/x-ndjson'],
    reply: z.object({ lines: count() }),
    status: 200,
  });

/** How a service shows its part of a project that was imported: for the transfers service. */
export const partReveal = <const Name extends string>(service: Name) =>
  operation({
    method: 'POST',
    path: `/internal/${service}/part/reveal`,
    summary:
      'Show what was stored of a project that is imported; a repeat changes nothing; for the transfers service',
    access: 'service',
    body: z.object({ projectId: z.string() }),
    reply: z.object({}),
    status: 200,
  });
