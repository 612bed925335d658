import { isTest } from './arrows.ts';
import type { SourceFile } from './imports.ts';

/**
 * What only these files may touch: the engines and the environment are reached through one door
 * each.
 */
const doors: { what: string; touches: (file: SourceFile) => boolean; allowed: RegExp }[] = [
  {
    what: 'mongodb',
    touches: imports(/^mongodb$/),
    allowed:
      /^(services\/[^/]+\/src\/store(\.ts|\/.*)|shared\/runtime\/mongo\/.*|shared\/testing\/.*|local\/src\/(mongod|keys\/mongodb-users|backup\/databases)\.ts)$/,
  },
  {
    what: 'MongoClient: `createMongoClient` makes one whose commands are all answered (ADR 82)',
    touches: ({ text }) => /\bnew MongoClient\(|\bMongoClient\.connect\(/.test(text),
    allowed: /^shared\/(runtime\/mongo\/client|testing\/.*)\.ts$/,
  },
  {
    what: 'z.record, which leaves out a member that is called `__proto__`: what clients send is `byName` or `jsonObject`',
    touches: ({ path, text }) => /^shared\/contracts\//.test(path) && /\.record\(/.test(text),
    // Replies, whose names are ours.
    allowed:
      /^shared\/contracts\/(fields|payload|preview|traces\/trace|results\/(comparison|inference)|scoring\/pairwise)\.ts$/,
  },
  {
    what: 'readBufferedDocuments() of a whole batch: the event loop stands while it is read, so go through the cursor by `for await`, or give the number',
    touches: ({ text }) => /\.readBufferedDocuments\(\)/.test(text),
    // Of raw documents, which are not read.
    allowed: /^shared\/runtime\/mongo\/within-bytes\.ts$/,
  },
  { what: 'nats', touches: imports(/^(nats|@nats-io\/.*)$/), allowed: /^shared\/runtime\// },
  {
    what: 'threads',
    touches: imports(/^(piscina|(node:)?worker_threads)$/, 'values'),
    allowed: /^shared\/runtime\/concurrency\/(workers|worker-task|low-priority)\.ts$/,
  },
  {
    what: 'fastify',
    touches: imports(/^(fastify|@fastify\/.*)$/, 'values'),
    allowed: /^(shared\/runtime\/http\/application\.ts|gateway\/src\/(console|docs|proxy)\.ts)$/,
  },
  {
    what: 'types of fastify',
    touches: imports(/^(fastify|@fastify\/.*)$/),
    allowed:
      /^(shared\/runtime\/http\/(application|health|server|route|reply|idempotency)\.ts|gateway\/.*)$/,
  },
  {
    what: 'process.env',
    touches: ({ text }) => /\bprocess(\.|\[')env\b|\benv\b[^;\n]*\}\s*=\s*process\b/.test(text),
    // The snippets of the documentation name it, as code of a reader.
    allowed:
      /^(gateway\/src\/docs\/snippets\.ts|shared\/runtime\/config\.ts|shared\/testing\/(servers|volume)\.ts|sdk\/typescript\/src\/environment\.ts|local\/src\/.*|scripts\/.*)$/,
  },
  {
    what: 'the repository at run time, as a client of the public API may not',
    touches: (file) =>
      file.path.startsWith('console/src/') &&
      imports(
        /^(@assay\/(?!client\/|comparison\/|contracts\/(mentions|name-words|scale|spreadsheet-text)$|import\/|json\/|judge-templates\/own-fields$)|node:|zod$)/,
        'values',
      )(file),
    allowed: /^$/,
  },
  {
    what: 'the network past the proxies of the environment',
    touches: ({ path, text }) =>
      /^(cli|sdk\/typescript)\/src\//.test(path) &&
      (/(?<![.\w])fetch\(/.test(text) ||
        (/\b(createClient|readEvents)\(/.test(text) && !/\bfetch\b/.test(text))),
    allowed: /^$/,
  },
  {
    // Those that are allowed read texts, names and accounts with it, and no value of a record.
    what: 'JSON.parse, which rounds numbers of records: `parseJson` and `parseByValue` keep their digits',
    touches: ({ path, text }) =>
      /^(engines\/(evaluators|prompt-template|span-reading)\/|services\/scoring\/src\/[a-z-]+-worker\.ts|cli\/src\/(project|commands)\/|console\/src\/(api|pages|parts\/difference)\/)/.test(
        path,
      ) && /\bJSON\.parse\(/.test(text),
    allowed:
      /^(engines\/evaluators\/json-text\.ts|cli\/src\/commands\/(watch|init)\.ts|console\/src\/(api\/(events|testcases)\.ts|pages\/(reviewing\/drafts\.ts|monitors\/what-would-match\.tsx|testset\/(testcase|use-cell-edit|import\/plan)\.ts|testset\/import\/column-table\.tsx)))$/,
  },
  {
    // That one hands over scores while it makes them.
    what: 'setInterval: work that is due is done by organization in turn (`createDueWork`)',
    touches: ({ path, text }) => /^services\//.test(path) && /\bsetInterval\(/.test(text),
    allowed: /^services\/scoring\/src\/domain\/record-scoring\.ts$/,
  },
  { what: 'node:process', touches: imports(/^(node:)?process$/), allowed: /^$/ },
];

function imports(pattern: RegExp, kind?: 'values'): (file: SourceFile) => boolean {
  return (file) =>
    file.imports.some(
      ({ specifier, isTypeOnly }) => pattern.test(specifier) && !(kind === 'values' && isTypeOnly),
    );
}

/**
 * Files that touch an engine, the framework or the environment past its door. Tests may, and the
 * baselines that we are measured against.
 */
export function pastTheDoors(files: SourceFile[]): string[] {
  const own = files.filter(({ path }) => !isTest(path) && !path.startsWith('bench/'));
  return doors.flatMap(({ what, touches, allowed }) =>
    own
      .filter((file) => touches(file) && !allowed.test(file.path))
      .map(({ path }) => `${path} touches ${what}`),
  );
}
