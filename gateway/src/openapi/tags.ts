/** The subjects of the operations in the document, in the order in which somebody uses them. */
const tags = [
  {
    name: 'Projects',
    nouns: ['projects', 'views'],
    description:
      'A project holds everything that belongs to one product under test. Views are lists of the console under a name.',
  },
  {
    name: 'Testsets',
    nouns: ['testsets'],
    description: 'What a testcase looks like: a JSON Schema, and which fields are inputs.',
  },
  {
    name: 'Testcases',
    nouns: ['testcases'],
    description: 'The cases of a testset, each checked against its schema.',
  },
  {
    name: 'Systems',
    nouns: ['systems', 'agents'],
    description: 'The systems under test, and their immutable versions.',
  },
  {
    name: 'Metrics',
    nouns: ['metrics', 'metric-groups', 'evaluators', 'judge-templates', 'judges'],
    description:
      'How records are scored: by a judge, by code or by people. Versions are immutable.',
  },
  {
    name: 'Runs',
    nouns: ['runs'],
    description: 'One execution of a system over a testset, and how far its scoring is.',
  },
  {
    name: 'Records',
    nouns: ['records', 'tags', 'assignees', 'mentions'],
    description: 'What the system gave for each testcase, with tags, assignees and annotations.',
  },
  {
    name: 'Scores',
    nouns: ['scores', 'review-queue', 'label-draws'],
    description: 'Scores by people and by clients, and the queue in which people review.',
  },
  {
    name: 'Results',
    nouns: [
      'summary',
      'run-summaries',
      'comparisons',
      'pairwise-comparisons',
      'plans',
      'reliability',
    ],
    description:
      'What the scores say: summaries, comparisons, plans, and how far a judge is right.',
  },
  {
    name: 'Traces',
    nouns: ['traces', 'spans', 'monitors', 'from-traces'],
    description:
      'What happened inside a system, as it sent it by OpenTelemetry, and monitors that score it.',
  },
  {
    name: 'Attachments',
    nouns: ['attachments', 'sessions'],
    description: 'Files that belong to a session.',
  },
  {
    name: 'Organization',
    nouns: ['organization', 'members', 'invitations', 'api-keys', 'session', 'me'],
    description: 'Members, API keys and browser sessions.',
  },
];

/** The tags as the document lists them. */
export const documentTags = tags.map(({ name, description }) => ({ name, description }));

/** The tag of an operation: of the last noun of its path; what a comparison lists is a part of it. */
export function tagOf(path: string): string {
  const isOfComparison = path.startsWith('/comparisons/');
  for (const segment of isOfComparison ? ['comparisons'] : path.split('/').reverse()) {
    const tag = tags.find(({ nouns }) => nouns.includes(segment));
    if (tag) return tag.name;
  }
  throw new Error(
    `No tag names what ${path} is about: add its noun to gateway/src/openapi/tags.ts.`,
  );
}
