import { expect } from 'vitest';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { type Accident, accidents } from './accidents.ts';
import type { Clients, Language } from './clients.ts';
import type { Call } from './installation.ts';

/** A judge that lets every answer pass, but gives no verdict on "no verdict". */
export const startFailingJudge = (): Promise<MockProviders> =>
  startMockProviders(({ body }) =>
    /no verdict/.test(JSON.stringify(body))
      ? { text: 'I cannot say.' }
      : say({ reasoning: 'So.', binaryScore: true }),
  );

/** The output of an evaluation, and its exit code. */
interface EvaluationReport {
  printed: string;
  exitCode: number;
}

/** Two runs, the second with an accident, and the reports of all evaluations with it. */
export interface AccidentRuns {
  accident: Accident;
  projectId: string;
  baselineRunId: string;
  candidateRunId: string;
  reports: Map<Language, EvaluationReport>;
}

/** Of the run that is compared. */
export const candidateName = 'After, in TypeScript';

const testcasesCount = 12;

/** Makes each accident in a project of its own, by the packages as users install them. */
export async function makeAccidents(
  call: Call,
  clients: Clients,
  languages: Language[],
): Promise<AccidentRuns[]> {
  const projects = await Promise.all(accidents.map((accident) => createProject(call, accident)));
  await evaluateAll(clients, 'TypeScript', 'Before');
  for (const [place, { areEdited }] of accidents.entries())
    if (areEdited) await editHalf(call, projects[place]!.testcases);
  const reports = await Promise.all(
    languages.map(
      async (language) => [language, await evaluateAll(clients, language, 'After')] as const,
    ),
  );
  return Promise.all(
    accidents.map(async (accident, place) => {
      const { projectId } = projects[place]!;
      const { data } = (await call('GET', `/projects/${projectId}/runs`)).body;
      const idOf = (name: string) => data.find((run: { name: string }) => run.name === name).id;
      return {
        accident,
        projectId,
        baselineRunId: idOf('Before'),
        candidateRunId: idOf(candidateName),
        reports: new Map(reports.map(([language, all]) => [language, all[place]!])),
      };
    }),
  );
}

interface StoredTestcase {
  id: string;
  jsonData: { number: number; answer: string };
}

/** A project with the name of the accident, a testset and a metric "Right". */
async function createProject(call: Call, { what, scoredBy }: Accident) {
  const create = async (path: string, body: object) => {
    const reply = await call('POST', path, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body;
  };
  const project = await create('/projects', { name: what, description: '' });
  const testset = await create(`/projects/${project.id}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { number: {}, answer: {} } },
    fieldMapping: { inputs: ['number'], expected: ['answer'], metadata: [] },
  });
  const { items } = await create(`/testsets/${testset.id}/testcases`, {
    items: Array.from({ length: testcasesCount }, (_, number) => ({
      jsonData: { number, answer: 'right' },
    })),
  });
  const metric = metrics[scoredBy ?? 'evaluator'];
  await create(`/projects/${project.id}/metrics`, { name: 'Right', ...metric });
  return { projectId: project.id as string, testcases: items as StoredTestcase[] };
}

const metrics = {
  judge: {
    evalType: 'ai',
    outputType: 'boolean',
    evalModelName: 'openai/gpt-4o',
    promptTemplate: 'answer: {{ outputs.answer }}',
  },
  scorer: { evalType: 'heuristic', outputType: 'float' },
  evaluator: {
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { output: '/answer', expected: '/answer' } },
  },
};

async function editHalf(call: Call, testcases: StoredTestcase[]): Promise<void> {
  for (const { id, jsonData } of testcases.slice(0, testcasesCount / 2)) {
    const edited = { ...jsonData, number: jsonData.number + 100 };
    const reply = await call('PUT', `/testcases/${id}`, { jsonData: edited });
    expect(reply.status, reply.text).toBe(200);
  }
}

/** Evaluates in each project, one after the other in one process. */
async function evaluateAll(
  clients: Clients,
  language: Language,
  name: 'Before' | 'After',
): Promise<EvaluationReport[]> {
  const calls = accidents.map((accident) => evaluationOf(language, accident, name === 'After'));
  const end = await clients.run(language, [imports[language], ...calls].join('\n'));
  expect(end.code, end.stderr).toBe(0);
  const reports = [...end.stdout.matchAll(/([\s\S]*?)^EXIT CODE (\d)\n/gm)];
  expect(reports, end.stdout).toHaveLength(accidents.length);
  return reports.map(([, printed, code]) => ({ printed: printed!, exitCode: Number(code) }));
}

const imports = {
  TypeScript: "import { evaluate } from 'assay';",
  Python: 'import asyncio, assay',
};

function evaluationOf(language: Language, accident: Accident, isAfter: boolean): string {
  const system = isAfter ? (accident.system?.[language] ?? '') : '';
  const options = isAfter ? (accident.options?.[language] ?? '') : '';
  const scorer = (isAfter && accident.scorer?.[language]) || '1';
  const isOwn = accident.scoredBy === 'scorer';
  const project = JSON.stringify(accident.what);
  if (language === 'TypeScript')
    return `{
  const { exitCode } = await evaluate(${project}, {
    testset: 'Questions', ${options}
    ${isOwn ? `scores: { Right: ({ inputs }) => ${scorer} }` : "metrics: ['Right']"},
    ${isAfter ? `name: '${candidateName}', baseline: 'Before'` : "name: 'Before'"},
    system: async (inputs, context) => { ${system} return { answer: 'right' }; },
  });
  console.log('EXIT CODE ' + exitCode);
}`;
  return `async def system(inputs, context):
    ${system}
    return {"answer": "right"}
result = assay.evaluate(${project}, testset="Questions", ${options}
    ${isOwn ? `scores={"Right": lambda inputs: ${scorer}}` : 'metrics=["Right"]'},
    name="After, in Python", baseline="Before", system=system)
print("EXIT CODE", result.exit_code)`;
}
