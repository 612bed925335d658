import { expect, test } from 'vitest';
import { parseProjectFile } from '../src/project/read.ts';

function faultsOf(text: string): string[] {
  try {
    parseProjectFile('assay.yaml', text);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

test('all faults of the file are told at once, each with its line and column', () => {
  const faults = faultsOf(`project: Support
testset: {}
testsets:
  Questions: { file: q.jsonl, modes: id }
metrics:
  Same: { type: heuristic, output: text }
  Judge: { type: judge, output: boolean }
evaluations:
  support:
    testset: Questions
    system: { command: python3 a.py, module: b.mjs }
    trials: 0
    gate: { maxRegression: -1 }
`);
  expect(faults.toSorted()).toEqual([
    'assay.yaml:11:13: evaluations.support.system must have one of module, command and http, with no other member.',
    'assay.yaml:12:13: evaluations.support.trials must be at least 1.',
    'assay.yaml:13:28: evaluations.support.gate.maxRegression must be at least 0.',
    'assay.yaml:2:1: testset is unknown: did you mean testsets?',
    'assay.yaml:4:14: testsets.Questions.key is missing.',
    'assay.yaml:4:31: testsets.Questions.modes is unknown: did you mean mode?',
    'assay.yaml:6:36: metrics.Same.output must be boolean or int or float.',
    'assay.yaml:7:18: metrics.Judge.type must be ai, human or heuristic.',
  ]);
});

const withGate = (gate: string): string => `project: Support
evaluations:
  support:
    testset: Questions
    system: { command: python3 a.py }
    gate: ${gate}
`;

test('limits of a gate are numbers of their kind, or percentages', () => {
  expect(faultsOf(withGate('{ minPassRate: 90%, maxErrors: 5%, allowMissing: 5% }'))).toEqual([]);
  expect(faultsOf(withGate('{ minPassRate: 0.9, maxErrors: 3 }'))).toEqual([]);
  expect(faultsOf(withGate('{ minPassRate: 90, maxErrors: 0.05 }'))).toEqual([
    'assay.yaml:6:26: evaluations.support.gate.minPassRate must be a share from 0 to 1 such as 0.9, or a percentage such as "90%".',
    'assay.yaml:6:41: evaluations.support.gate.maxErrors must be a count such as 3, or a percentage such as "5%".',
  ]);
});

test('what is no YAML, or names a thing twice, is told with its place', () => {
  expect(faultsOf('project: a\ntestsets: { a: [ }\n')[0]).toMatch(
    /^assay\.yaml:2:\d+: is not YAML: /,
  );
  expect(faultsOf('project: a\nproject: b\n')[0]).toMatch(
    /^assay\.yaml:2:1: is not YAML: Map keys must be unique/,
  );
  expect(faultsOf('')[0]).toMatch(/^assay\.yaml:1:1: the file must be a mapping/);
});

test('aliases that would fill the memory are refused', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe'].map((pair) => [...pair]))
    bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`);
  expect(faultsOf(`${bomb.join('\n')}\n`)[0]).toMatch(
    /^assay\.yaml:1:1: cannot be used: Excessive/,
  );
});
