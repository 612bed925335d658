import { escapeSegment } from '@assay/json/pointer';
import type { Fields, MetricBody } from '../../entity.ts';
import { listAt, numberAt, objectAt, textAt, valueAt } from '../../reading/json-values.ts';
import { judgeOf } from '../judge.ts';

interface MetricOrLoss {
  body?: MetricBody;
  loss?: string;
}

const output = '/output';

/** JSON Pointer of the field with the value that an assertion of this name compares with. */
const fieldOf = (name: string): string => `/${escapeSegment(name)}`;

/**
 * The metric of an assertion. `isPartial`: not all tests have it, so that it
 * has to say of a record when it does not apply.
 */
export function metricOfAssertion(
  name: string,
  assertion: Fields,
  isPartial: boolean,
): MetricOrLoss {
  const type = textAt(assertion, 'type') ?? '';
  const plain = type.replace(/^not-/, '');
  if (type !== plain) return negated(name, plain);
  if (isPartial && plain in comparisons)
    return { body: comparing(name, comparisons[plain]!, false) };
  return (
    checks[plain]?.(name, assertion) ?? {
      loss: `Assertions of type ${JSON.stringify(type)} have no metric here: score them yourself and send the scores.`,
    }
  );
}

/** Any JSON but a text, which every output would be. */
const anyJson = { type: ['object', 'array', 'number', 'boolean', 'null'] };

const checks: Record<string, (name: string, assertion: Fields) => MetricOrLoss> = {
  equals: (name) => builtin(name, 'exact_match', { expected: fieldOf(name) }),
  contains: (name) => builtin(name, 'contains', { expected: fieldOf(name) }),
  icontains: (name) => builtin(name, 'contains', { expected: fieldOf(name), ignoreCase: true }),
  regex: (name, assertion) =>
    builtin(name, 'regex_match', { pattern: textAt(assertion, 'value') ?? '' }),
  'is-json': (name, assertion) =>
    builtin(name, 'json_schema', { schema: objectAt(assertion, 'value') ?? anyJson }),
  levenshtein: (name) => builtin(name, 'levenshtein', { expected: fieldOf(name) }, 'float'),
  'rouge-n': (name, assertion) => ({
    ...builtin(name, 'rouge_l', { expected: fieldOf(name) }, 'float', thresholdOf(assertion)),
    loss: `${JSON.stringify(name)} was ROUGE-N and became ROUGE-L, whose values differ.`,
  }),
  'llm-rubric': judged,
  'model-graded-closedqa': judged,
  'g-eval': judged,
  factuality: judged,
  javascript: (name, assertion) => coded(name, assertion, 'javascript'),
  python: (name, assertion) => coded(name, assertion, 'python'),
};

const thresholdOf = (assertion: Fields): number | undefined => numberAt(assertion, 'threshold');

function builtin(
  name: string,
  evaluator: string,
  options: Fields,
  outputType: 'boolean' | 'float' = 'boolean',
  passingThreshold?: number,
): MetricOrLoss {
  return {
    body: {
      name,
      evalType: 'heuristic',
      outputType,
      guidelines: '',
      builtin: { name: evaluator, options: { output, ...options } },
      ...(passingThreshold === undefined ? {} : { passingThreshold }),
    },
  };
}

/** Comparisons as JavaScript, of the output and the expected text. */
const comparisons: Record<string, string> = {
  equals: 'String(output) === String(wanted)',
  contains: 'String(output).includes(String(wanted))',
  icontains: 'String(output).toLowerCase().includes(String(wanted).toLowerCase())',
};

const code = (name: string, source: string, language: 'javascript' | 'python' = 'javascript') => ({
  name,
  evalType: 'heuristic' as const,
  outputType: 'boolean' as const,
  guidelines: '',
  code: { language, source },
});

/** A comparison of the records that have something to compare with. */
const comparing = (name: string, comparison: string, isNegated: boolean): MetricBody =>
  code(
    name,
    `function evaluate({ expected, outputs }) {
  const wanted = expected[${JSON.stringify(name)}];
  if (wanted === undefined) return { value: null, reasoning: 'This testcase has no such check.' };
  const output = outputs.output;
  return ${isNegated ? '!' : ''}(${comparison});
}
`,
  );

function negated(name: string, plain: string): MetricOrLoss {
  const comparison = comparisons[plain];
  if (comparison) return { body: comparing(name, comparison, true) };
  return {
    loss: `Assertions of type ${JSON.stringify(`not-${plain}`)} have no metric here: score them yourself and send the scores.`,
  };
}

/** An assertion's own code, which expects \`output\` and \`context.vars\`. */
function coded(name: string, assertion: Fields, language: 'javascript' | 'python'): MetricOrLoss {
  const value = textAt(assertion, 'value') ?? '';
  if (/^file:\/\//.test(value) || value === '')
    return {
      loss: `The code of ${JSON.stringify(name)} is in another file: paste it into a code metric.`,
    };
  return { body: code(name, language === 'python' ? python(value) : javascript(value), language) };
}

const javascript = (value: string): string => `function evaluate({ inputs, outputs }) {
  const output = outputs.output;
  const context = { vars: inputs };
  const check = () => ${/\breturn\b/.test(value) ? `{\n${value}\n}` : `(${value})`};
  const result = check();
  if (typeof result === 'object' && result !== null) return { value: result.pass, reasoning: result.reason };
  return typeof result === 'number' ? result > 0 : result;
}
`;

function python(value: string): string {
  const body = /\breturn\b/.test(value) ? value : `return (${value.trim()})`;
  return `def check(output, context):
${body.replace(/^/gm, '    ')}


def evaluate(record):
    result = check(record["outputs"].get("output"), {"vars": record["inputs"]})
    if isinstance(result, dict):
        return {"value": bool(result.get("pass")), "reasoning": result.get("reason") or ""}
    return bool(result)
`;
}

function judged(name: string, assertion: Fields): MetricOrLoss {
  const value = valueAt(assertion, 'value');
  const criteria = Array.isArray(value)
    ? listAt(assertion, 'value').join('\n')
    : String(value ?? '');
  const isKnown = !/\{\{(?!\s*(output|outputs?\.\w+)\s*\}\})/.test(criteria);
  return {
    body: judgeOf({ name, guidelines: criteria, outputType: 'boolean' }),
    ...(isKnown
      ? {}
      : {
          loss: `The rubric of ${JSON.stringify(name)} has variables, which guidelines do not fill in: put them into its prompt.`,
        }),
  };
}
