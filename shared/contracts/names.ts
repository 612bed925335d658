import { z } from 'zod';
import { operation, question } from './define.ts';
import { exampleIds, exampleInstant } from './examples.ts';
import { id, integerParameter, reference, repeatedReference, text, timestamp } from './fields.ts';

/** Things of a project that have a name and a page. */
export const nameKind = z.enum(['run', 'testset', 'metric', 'system', 'systemVersion', 'monitor']);
export type NameKind = z.infer<typeof nameKind>;

/** As many names as one answer has. */
export const namesMax = 100;
const kindsMax = nameKind.options.length;

const exampleName = {
  kind: 'run' as const,
  id: exampleIds.run,
  name: 'Prompt 14',
  createdAt: exampleInstant,
  testsetId: exampleIds.testset,
};

export const namedThing = z
  .object({
    kind: nameKind.meta({ description: 'The page that the thing has.' }),
    id: id(),
    name: z.string().nullable().meta({
      description: 'A monitor has its description for a name; null is a run without a name.',
    }),
    createdAt: timestamp(),
    testsetId: id().nullable().optional().meta({ description: 'Of a run: its testset.' }),
    expiredAt: timestamp().optional().meta({
      description: 'Of a run that has expired: when. It cannot be compared any more.',
    }),
    systemId: id().optional().meta({ description: 'Of a version of a system: the system.' }),
    systemName: z.string().optional().meta({
      description:
        'Of a version of a system: the name of the system. Left out where the system was deleted.',
    }),
  })
  .meta({
    id: 'NamedThing',
    description: 'A thing of a project by its name.',
    examples: [exampleName],
  });
export type NamedThing = z.infer<typeof namedThing>;

const kinds = {
  error: `must be one of ${nameKind.options.map((kind) => `"${kind}"`).join(', ')}`,
};

export const namesQuery = z.object({
  text: text(256).optional().meta({
    description:
      'Words that the name has all of, as it is written or in other case. For a version of a system, the name of the system counts, too.',
  }),
  kind: z
    .union([nameKind.transform((kind) => [kind]), z.array(nameKind).max(kindsMax)], kinds)
    .optional()
    .meta({
      description: 'Only things of this kind; repeatable.',
      override: {
        type: 'array',
        items: { type: 'string', enum: nameKind.options },
        maxItems: kindsMax,
      },
    }),
  id: repeatedReference(
    namesMax,
    `Only the things of these ids; repeatable, at most ${namesMax}. Ids that name nothing in the project are left out of the answer.`,
  ),
  testsetId: reference()
    .optional()
    .meta({ description: 'Only runs over this testset, and nothing of another kind.' }),
  metricId: reference()
    .optional()
    .meta({ description: 'Only runs that this metric scores, and nothing of another kind.' }),
  newest: integerParameter({
    min: 1,
    max: namesMax,
    default: 20,
    about: 'The newest so many names.',
  }),
});
export type NamesQuery = z.output<typeof namesQuery>;

const names = z
  .object({
    names: z.array(namedThing).meta({ description: 'Newest first.' }),
    isCut: z.boolean().meta({
      description: 'There are more such names, or older ones that were not looked at.',
    }),
    missing: z.array(nameKind).meta({
      description:
        'Kinds whose service did not answer: there may be things of these. Empty in a whole answer.',
    }),
  })
  .meta({ id: 'Names', description: 'Names of the things of a project.' });
export type Names = z.infer<typeof names>;

/** One search over the names of a project. */
export const nameOperations = {
  findNames: operation({
    method: 'GET',
    path: '/projects/:projectId/names',
    expensive: true,
    summary:
      'Find things of a project by words of their names, or the names of things by their ids',
    description:
      'Runs, testsets, metrics, systems with their versions, and monitors, newest first. The newest 10,000 names of each kind are looked at.',
    query: namesQuery,
    reply: names,
    status: 200,
    example: {
      query: { text: 'prompt', kind: 'run' },
      reply: { names: [exampleName], isCut: false, missing: [] },
    },
  }),
};

/** `words` are those of the text, as `wordsOf` gives them. */
const wantedNames = z.object({
  projectId: z.string(),
  kinds: z.array(nameKind),
  words: z.array(z.string()),
  ids: z.array(z.string()).optional(),
  testsetId: z.string().optional(),
  metricId: z.string().optional(),
  limit: z.number(),
});
export type WantedNames = z.infer<typeof wantedNames>;

const foundNames = z.object({ names: z.array(namedThing), isCut: z.boolean() });
export type FoundNames = z.infer<typeof foundNames>;

/** How a service tells the names that it keeps: for catalog, which asks all who keep some. */
export const namesQuestion = question({
  summary:
    "The newest things of a project whose names have all of these words, or that have these ids, of the asked kinds; asked by catalog, which answers without the service's names where this takes too long",
  payload: wantedNames,
  reply: foundNames,
  timeoutMs: 2000,
});
