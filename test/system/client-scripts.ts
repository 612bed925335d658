import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { root } from '../imports.ts';
import type { Clients, Language, ScriptEnd } from './clients.ts';
import type { SharedInstallation } from './installation.ts';

export const numTestcases = 24;

/** A project of its own for each test: its name, its testset "Questions" and its metric "Same". */
export async function createProjectIn(
  assay: SharedInstallation,
  name: string,
  count = numTestcases,
  metric = 'Same',
) {
  const create = async (path: string, body: object) => (await assay.call('POST', path, body)).body;
  const project = await create('/projects', { name, description: '' });
  const testset = await create(`/projects/${project.id}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {}, answer: {} } },
    fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
  });
  const items = Array.from({ length: count }, (_, index) => ({
    jsonData: { question: `q${index}`, answer: `Q${index}` },
  }));
  await create(`/testsets/${testset.id}/testcases`, { items });
  await create(`/projects/${project.id}/metrics`, {
    name: metric,
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { output: '/answer', expected: '/answer' } },
  });
  const runs = async () =>
    (await assay.call('GET', `/projects/${project.id}/runs`)).body.data as {
      id: string;
      numRecords: number;
      isPaused: boolean;
      labels?: Record<string, string>;
    }[];
  return { ...project, testset, runs } as {
    id: string;
    testset: { id: string };
    runs: typeof runs;
  };
}

export const recordsOf = async (assay: SharedInstallation, runId: string) =>
  (await assay.call('GET', `/runs/${runId}/records?limit=100`)).body.data as {
    testcaseId: string;
    outputs: Record<string, unknown>;
    error?: { name: string; message: string };
    systemAttempts?: number;
    notes?: { code: string; path?: string; message: string }[];
    scores: { score: Record<string, unknown>; source: string; metricConfigId: string }[];
  }[];

/** A script in either language, whose system is an expression in terms of `inputs`. */
export function script(language: Language, project: string, options: ScriptOptions): string {
  const { system = { TypeScript: upper.TypeScript, Python: upper.Python }, more = {} } = options;
  const own = more[language] ?? '';
  return language === 'TypeScript'
    ? `import { appendFileSync } from 'node:fs';
import { evaluate } from 'assay';
const result = await evaluate('${project}', {
  testset: 'Questions', metrics: ['Same'], ${own}
  system: async (inputs, context) => { ${system.TypeScript} },
});
console.log('RESULT ' + JSON.stringify([result.outcome, result.exitCode, result.records, result.errors]));
`
    : `import json, time, assay
def system(inputs, context):
    ${system.Python}
result = assay.evaluate("${project}", testset="Questions", metrics=["Same"], ${own}
                        system=system)
print("RESULT " + json.dumps([result.outcome, result.exit_code, result.records, result.errors], separators=(",", ":")))
`;
}

/** The imports of scripts, and the lines of each that follow them. */
function partsOf(codes: string[]): { imports: string[]; bodies: string[][] } {
  const lines = codes.map((code) => code.trimEnd().split('\n'));
  const isImport = (line: string) => line.startsWith('import ');
  return {
    imports: [...new Set(lines.flat().filter(isImport))],
    bodies: lines.map((each) => each.filter((line) => !isImport(line))),
  };
}

const divider = 'THE NEXT ONE';

/**
 * Runs scripts that end well one after the other in one process, which takes less than a process for
 * each: the end of all, and the output of each.
 */
export async function runInOne(
  clients: Clients,
  language: Language,
  codes: string[],
): Promise<ScriptEnd[]> {
  const { imports, bodies } = partsOf(codes);
  const own = bodies.map((body) =>
    language === 'TypeScript'
      ? `{\n${body.join('\n')}\n}\nconsole.log('${divider}');`
      : `${body.join('\n')}\nprint("${divider}")`,
  );
  const end = await clients.run(language, [...imports, ...own].join('\n'));
  const outputs = end.stdout.split(`${divider}\n`);
  return codes.map((_, place) => ({ ...end, stdout: outputs[place] ?? '' }));
}

/**
 * Scripts that fail, as one, which goes on after each and says its exit code and its sentence in a
 * line of standard error: a process for each would take longer than what they do.
 */
export function failingInOne(language: Language, codes: string[]): string {
  const { imports, bodies } = partsOf(codes);
  if (language === 'TypeScript')
    return [
      ...imports,
      ...bodies.map(
        (body) =>
          `try {\n${body.join('\n')}\n} catch (error) { console.error(error.exitCode + ' ' + error.message); }`,
      ),
    ].join('\n');
  return [
    'import sys',
    ...imports,
    ...bodies.map(
      (body) =>
        `try:\n${body.map((line) => `    ${line}`).join('\n')}\nexcept assay.AssayError as error: print(error.exit_code, error, file=sys.stderr)`,
    ),
  ].join('\n');
}
export interface ScriptOptions {
  system?: Record<Language, string>;
  more?: Partial<Record<Language, string>>;
}
export const upper = {
  TypeScript: 'return { answer: inputs.question.toUpperCase() };',
  Python: 'return {"answer": inputs["question"].upper()}',
};
/** Fails on all questions but the first two. */
export const crashing = {
  TypeScript: `if (Number(inputs.question.slice(1)) > 2) throw new Error('down'); ${upper.TypeScript}`,
  Python: `if int(inputs["question"][1:]) > 2: raise RuntimeError("down")
    ${upper.Python}`,
};
export const wrong = {
  TypeScript: 'return { answer: inputs.question };',
  Python: 'return {"answer": inputs["question"]}',
};
export const both = (typescript: string, python: string) => ({
  TypeScript: typescript,
  Python: python,
});

export const resultOf = ({ stdout }: ScriptEnd) => /^RESULT (.*)$/m.exec(stdout)?.[1];
/** Nothing of a stack, in either language. */
export const noTrace = /^(?![\s\S]*(Traceback|File "|\n\s+at |node:internal|Node\.js v))/;

export const fence = { ts: 'TypeScript', python: 'Python' } as const;
const asking = {
  ts: 'const ask = async (question: string) => question.toUpperCase();\nconst quotaIsUsedUp = async () => false;\n',
  python: 'def ask(question): return question.upper()\ndef quota_is_used_up(): return False\n',
};

/** A program of the page as Node.js runs it. */
export function withoutTypes(code: string): string {
  const { code: script, errors } = transformSync('page.mts', code);
  if (errors.length > 0) throw errors[0];
  return script;
}

/** The code of docs/evaluate.md and of the README in one language, as one program. */
export function documented(kind: keyof typeof fence, pattern: RegExp): string {
  const text = ['docs/evaluate.md', 'README.md']
    .map((page) => readFileSync(join(root, page), 'utf8'))
    .join('\n');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm'))]
    .map(([, block]) => block!)
    .filter(
      (block) => pattern.test(block) && !(/evaluates/.test(block) && !pattern.test('evaluates')),
    );
  const lines = blocks.join('\n').split('\n');
  const isImport = (line: string) => /^import /.test(line);
  return [
    ...new Set(lines.filter(isImport)),
    asking[kind],
    ...lines.filter((line) => !isImport(line)),
  ].join('\n');
}
