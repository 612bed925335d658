import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A page of the folder of documents, as it was written. */
export interface Guide {
  /** Its path in the folder, without `.md`. */
  name: string;
  title: string;
  source: string;
}

export interface Guides {
  pages: ReadonlyMap<string, Guide>;
  /** Names of the pictures that pages show. */
  pictures: ReadonlySet<string>;
  readPicture(name: string): Buffer;
}

export interface GuideGroup {
  title: string;
  guides: readonly [name: string, sentence: string][];
}

/** The guides by what a reader wants. A page of the folder that stands nowhere here fails a test. */
export const guideGroups: readonly GuideGroup[] = [
  {
    title: 'Start',
    guides: [
      ['first-evaluation', 'Ask your own system your own questions, and learn what a change did.'],
      ['first-conversation', 'Send the first requests with curl, from a testset to a score.'],
      ['evaluate', 'Evaluate your system from Python or TypeScript with one function.'],
      ['command-line', 'Import, run, follow and compare evaluations from a terminal.'],
      ['console', 'Find your way around the console, from signing in to a verdict.'],
      ['glossary', 'Look up the words that the console, the packages and these pages share.'],
    ],
  },
  {
    title: 'Measure',
    guides: [
      ['first-judge', 'Let a language model score your records, and learn how far to trust it.'],
      ['review-with-a-team', 'Share the scoring out among people, and see where they differ.'],
      ['judge-templates', 'Adopt a ready-made judge, and make it your own.'],
      ['evaluators', 'Score without a model: exact match, numbers, JSON, similarity and more.'],
    ],
  },
  {
    title: 'Compare',
    guides: [
      ['compare-two-prompts', 'Find out which of two prompts is better, and by how much.'],
      ['is-it-better', 'Tell a real improvement from luck, without statistics.'],
      ['reading-a-comparison', 'Look up every figure of a comparison, with its formula.'],
      ['comparing-by-pairs', 'Ask a judge which of two answers is better.'],
    ],
  },
  {
    title: 'Automate',
    guides: [
      ['traces', 'See what happened inside your system, sent by OpenTelemetry.'],
      ['gate-in-ci', 'Stop a pull request that makes your system worse.'],
      ['mcp', 'Give coding assistants and other agents access by the Model Context Protocol.'],
      ['generated-clients', 'Generate a client for your language from the OpenAPI document.'],
    ],
  },
  {
    title: 'Bring in and move',
    guides: [
      ['importing', 'Import evaluations from the files of other tools.'],
      ['from-a-spreadsheet', 'Make a testset of a table, and keep it in step with the table.'],
      ['from-openai-evals', 'Save your evaluations from OpenAI Evals before it closes.'],
      ['from-promptfoo', 'Take your tests, checks and results from promptfoo to Assay.'],
      ['from-langfuse', 'Take your datasets, runs and scores from Langfuse to Assay.'],
      ['from-langsmith', 'Take your datasets and experiments from LangSmith to Assay.'],
      ['from-inspect', 'Read the logs of Inspect, with their samples and scores.'],
      ['from-lm-evaluation-harness', 'Read the samples and results of lm-evaluation-harness.'],
      ['from-scorecard', 'Keep your Scorecard scripts, and change their address.'],
      ['moving-projects', 'Write a project to a file, and make a new project from it.'],
    ],
  },
  {
    title: 'Operate',
    guides: [
      ['operations', 'Install, configure, watch, back up and upgrade Assay.'],
      ['performance', 'Choose the size of an installation, and learn how far it goes.'],
    ],
  },
  {
    title: 'Reference',
    guides: [
      ['errors', 'Look up an error code, and what to do about it.'],
      ['compatibility', 'See what a new release may change, and what it keeps.'],
    ],
  },
  {
    title: 'Work on Assay',
    guides: [
      ['architecture', 'See which services there are, and where to add something.'],
      ['request-path', 'Follow a request and an event through the code.'],
      ['events', 'Look up what the services say to each other over NATS.'],
      ['permissions', 'Look up what each process may do, and so what a stolen one reaches.'],
      ['testing', 'Run the tests, and write new ones.'],
      ['adr/README', 'Read why things are as they are.'],
    ],
  },
];

/** Reads the guides of a folder. One that does not exist has none. */
export function readGuides(folder: string): Guides {
  const names = ['', 'adr'].flatMap((inside) =>
    filesIn(join(folder, inside))
      .filter((file) => file.endsWith('.md'))
      .map((file) => posix.join(inside, file.slice(0, -'.md'.length))),
  );
  return {
    pages: new Map(
      names.map((name) => {
        const source = readFileSync(join(folder, `${name}.md`), 'utf8');
        return [name, { name, source, title: /^# (.*)$/m.exec(source)?.[1] ?? name }];
      }),
    ),
    pictures: new Set(filesIn(join(folder, 'pictures'))),
    readPicture: (name) => readFileSync(join(folder, 'pictures', name)),
  };
}

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/**
 * Returns where a link of a guide leads in the documentation, such as `guides/errors#codes`;
 * undefined where it leads to a file that only the repository has.
 */
export function targetOf(href: string, from: string, { pages }: Guides): string | undefined {
  if (/^https?:\/\//.test(href)) return href;
  const [path, anchor] = href.split('#', 2) as [string, string | undefined];
  const file = path === '' ? `${from}.md` : posix.join(posix.dirname(from), path);
  if (file === 'openapi.json') return '../v2/openapi.json';
  const name = file.replace(/\.md$/, '');
  if (!file.endsWith('.md') || !pages.has(name)) return undefined;
  return `guides/${name}${anchor === undefined ? '' : `#${anchor}`}`;
}
