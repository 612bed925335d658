import { z } from 'zod';
import { operation } from '../define.ts';
import { flagParameter, id, text } from '../fields.ts';

/** So many that their names and addresses fit into a body, whatever script they are in. */
export const importedPeopleAtOnceMax = 200;

/** The fields of an imported person in a list, beside those of a member. */
export const importedPersonFields = {
  imported: z.literal(true).optional().meta({
    description:
      'Of a person whom an import made of an author who is not believed, and who is no member. Their e-mail address and name are as the file says: nobody checked them.',
  }),
  projectId: id()
    .optional()
    .meta({ description: 'Of an imported person: the project that came with them.' }),
  mappedTo: id().nullable().optional().meta({
    description:
      'Of an imported person: the member to whom an admin has mapped them, until all that they made is that member’s and the person goes.',
  }),
};

/** Keeps the authors of a file. */
export const noteImportedPeople = operation({
  method: 'POST',
  path: '/internal/imported-people',
  summary:
    'Keep the authors of a file who are no members; a repeat changes nothing; for the transfers service',
  access: 'service',
  body: z.object({
    projectId: z.string(),
    people: z
      .array(z.object({ userId: id(), email: text(320).nullable(), name: text(256).nullable() }))
      .max(importedPeopleAtOnceMax),
  }),
  reply: z.object({}),
  status: 200,
});

export const memberFilters = z.object({
  imported: flagParameter(
    'The people whom imports made of authors who are not believed, in place of the members.',
  ),
});
