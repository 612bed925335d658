import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, name, timestamp } from '../fields.ts';

export const organization = z.object({ id: id(), name: name(), createdAt: timestamp() }).meta({
  id: 'Organization',
  examples: [{ id: exampleIds.organization, name: 'Example Ltd', createdAt: exampleInstant }],
});
export type Organization = z.infer<typeof organization>;

/** An organization as the operator sees it. */
export const operatedOrganization = organization.extend({
  /** Null where it is not suspended. */
  suspendedAt: timestamp().nullable().default(null),
});
export type OperatedOrganization = z.infer<typeof operatedOrganization>;
