import { access, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readTextFile } from '@assay/sdk/text-file';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import type { Context } from '../options.ts';
import { defaultFile } from '../project/read.ts';

interface InitOptions {
  project?: string;
  json?: true;
}

/** `assay init`: the files of a first evaluation, which runs as it is. */
export function addInit(program: Command, { terminal }: Context): void {
  program
    .command('init')
    .description('Write assay.yaml and an example evaluation for what is in this folder.')
    .option('--project <name>', 'the name of the project (default: that of the package or folder)')
    .option('--json', 'print { project, files } as JSON')
    .action(async ({ project: wanted, json }: InitOptions) => {
      const found = await findPackage();
      const project = wanted ?? found.name;
      const files = filesOf(project, found.language);
      for (const name of Object.keys(files))
        if (await isThere(name))
          throw new CommandFailure(
            `${name} is there already, and nothing is overwritten: move it away, or start in another folder.`,
          );
      for (const [name, text] of Object.entries(files)) await writeFile(name, text, { flag: 'wx' });
      if (json) return terminal.printJson({ project, files: Object.keys(files) });
      await terminal.print(Object.keys(files));
      terminal.say(
        'Written. Next: assay push --create-project stores it on the server, assay run evaluates.',
      );
    });
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The language and the name of the package here; of the folder where there is none. */
async function findPackage(): Promise<{ language: 'javascript' | 'python'; name: string }> {
  const folderName = basename(resolve('.')) || 'Project';
  const manifest = await readTextFile(join('.', 'package.json')).catch(() => undefined);
  if (manifest !== undefined) {
    try {
      const { name } = JSON.parse(manifest) as { name?: unknown };
      const isName = typeof name === 'string' && name.trim() !== '';
      return { language: 'javascript', name: isName ? name : folderName };
    } catch {
      return { language: 'javascript', name: folderName };
    }
  }
  const pyproject = await readTextFile('pyproject.toml').catch(() => undefined);
  const [, name] = /^name\s*=\s*["']([^"'\n]+)["']/m.exec(pyproject ?? '') ?? [];
  return {
    language: pyproject === undefined ? 'javascript' : 'python',
    name: name ?? folderName,
  };
}

const questions = [
  { id: 'capital-it', question: 'What is the capital of Italy?', answer: 'Rome' },
  { id: 'capital-no', question: 'What is the capital of Norway?', answer: 'Oslo' },
  { id: 'capital-pe', question: 'What is the capital of Peru?', answer: 'Lima' },
];

const modules = {
  javascript: {
    'answer.mjs': `// The system that is evaluated: it gets the inputs of a testcase, and returns the outputs.
const capitals = { Italy: 'Rome', Norway: 'Oslo', Peru: 'Lima' };

export default async function answer({ question }) {
  const country = Object.keys(capitals).find((name) => question.includes(name));
  return { answer: capitals[country] ?? 'I do not know.' };
}
`,
  },
  python: {
    'answer.py': `# The system that is evaluated. It is started once: each line that it reads has the inputs of a
# testcase, and each line that it prints the outputs. Other talk goes to standard error.
import json
import sys

capitals = {"Italy": "Rome", "Norway": "Oslo", "Peru": "Lima"}

for line in sys.stdin:
    call = json.loads(line)
    question = call["inputs"]["question"]
    answer = next((capitals[name] for name in capitals if name in question), "I do not know.")
    print(json.dumps({"id": call["id"], "outputs": {"answer": answer}}), flush=True)
`,
  },
};

const systems = { javascript: 'module: answer.mjs', python: 'command: python3 answer.py' };

function filesOf(project: string, language: keyof typeof modules): Record<string, string> {
  return {
    [defaultFile]: `# What this project evaluates. assay diff says what a push would change, assay push stores it,
# assay run evaluates. The page "The command line" of your server's documentation has all of it.
project: ${JSON.stringify(project)}
testsets:
  Questions: { file: questions.jsonl, inputs: [question], expected: [answer], key: id }
metrics:
  Same answer:
    type: heuristic
    output: boolean
    builtin: { name: exact_match, options: { output: /answer, expected: /answer, ignoreCase: true } }
evaluations:
  example:
    testset: Questions
    metrics: [Same answer]
    system: { ${systems[language]} }
`,
    'questions.jsonl': questions.map((row) => `${JSON.stringify(row)}\n`).join(''),
    ...modules[language],
  };
}
