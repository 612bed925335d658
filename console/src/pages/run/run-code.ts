import { publicPath } from '../../api/public-path.ts';
import { curl } from '../../text/commands.ts';

export interface CodeOfRun {
  projectId: string;
  testsetId: string;
  runId: string;
  metricIds: string[];
  /** The fields of a testcase that the system is given. */
  inputs: string[];
}

/** The lines that have a system answer a run's testcases, with the ids of the run, by their names. */
export const codeOfRun = {
  Python: ({ projectId, testsetId, runId, inputs }: CodeOfRun) => `import assay

assay.evaluate("${projectId}",
    testset="${testsetId}",
    resume="${runId}",
    url="${serverUrl()}",
    system=lambda inputs: answer(inputs[${quoted(firstOf(inputs))}]))`,
  TypeScript: ({
    projectId,
    testsetId,
    runId,
    inputs,
  }: CodeOfRun) => `import { evaluate } from 'assay';

await evaluate('${projectId}', {
  testset: '${testsetId}',
  resume: '${runId}',
  url: '${serverUrl()}',
  system: async (inputs: Record<string, string>) =>
    answer(inputs[${quoted(firstOf(inputs))}]!),
});`,
  'Command line': ({
    projectId,
    testsetId,
    runId,
    metricIds,
  }: CodeOfRun) => `cat > assay.yaml <<'END'
project: ${projectId}
evaluations:
  first:
    testset: ${testsetId}
    metrics: [${metricIds.join(', ')}]
    system: { command: python3 answer.py }
END
ASSAY_URL=${serverUrl()} \\
  assay run first --resume ${runId}`,
  HTTP: ({ runId, inputs }: CodeOfRun) =>
    curl('POST', `/runs/${runId}/records`, {
      inputs: { [firstOf(inputs)]: 'Where is my parcel?' },
      expected: {},
      outputs: { output: 'Could you tell me the tracking number?' },
    }),
} satisfies Record<string, (code: CodeOfRun) => string>;

export type CodeLanguage = keyof typeof codeOfRun;

/** A name as a string of code, in which no character turns the text around. */
const quoted = (name: string): string =>
  JSON.stringify(name).replace(hidden, (sign) => [...codesOf(sign)].join(''));

const hidden = /[\p{Cf}\p{Zl}\p{Zp}]/gu;

function* codesOf(sign: string): Generator<string> {
  for (let at = 0; at < sign.length; at += 1)
    yield `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`;
}

const firstOf = ([first = 'question']: string[]): string => first;

const serverUrl = (): string => `${location.origin}${publicPath}`;
