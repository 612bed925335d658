import { exampleIds } from '../examples.ts';

type EvalType = 'ai' | 'human' | 'heuristic';
type OutputType = 'int' | 'float' | 'boolean';

/** Bodies that create a metric of each shape, without its two types. */
const creations: Record<
  EvalType,
  Record<OutputType, { name: string; [field: string]: unknown }>
> = {
  ai: {
    int: {
      name: 'Helpfulness',
      promptTemplate:
        'A customer asked: {{ inputs.question }}\nThe answer was: {{ outputs.response }}\nHow helpful is it, from 1 (useless) to 5 (solves it)?',
      evalModelName: 'gpt-4o-mini',
      passingThreshold: 4,
    },
    float: {
      name: 'Coverage',
      promptTemplate:
        'Expected: {{ expected.idealAnswer }}\nThe answer was: {{ outputs.response }}\nWhich share of what was expected does it say, from 0 to 1?',
      evalModelName: 'gpt-4o-mini',
      passingThreshold: 0.8,
    },
    boolean: {
      name: 'Correct',
      promptTemplate:
        'A customer asked: {{ inputs.question }}\nExpected: {{ expected.idealAnswer }}\nThe answer was: {{ outputs.response }}\nDoes it say what was expected?',
      evalModelName: 'gpt-4o-mini',
      votes: 3,
    },
  },
  human: {
    int: {
      name: 'Tone, by people',
      guidelines: '1 is rude, 5 is friendly and plain.',
      passingThreshold: 4,
    },
    float: {
      name: 'Share of correct sentences, by people',
      guidelines: 'Correct sentences, divided by all sentences.',
      passingThreshold: 0.9,
    },
    boolean: {
      name: 'Correct, by people',
      guidelines: 'Would you send this answer to a customer?',
      annotators: 2,
    },
  },
  heuristic: {
    int: {
      name: 'Brevity',
      code: {
        language: 'javascript',
        source:
          'export function evaluate({ outputs }) {\n  const words = outputs.response.split(/\\s+/).length;\n  return Math.max(1, 5 - Math.floor(words / 20));\n}\n',
      },
      passingThreshold: 4,
    },
    float: {
      name: 'Like the ideal answer',
      builtin: {
        name: 'levenshtein',
        options: { output: '/response', expected: '/idealAnswer' },
      },
      passingThreshold: 0.8,
    },
    boolean: {
      name: 'Same answer',
      builtin: {
        name: 'exact_match',
        options: { output: '/response', expected: '/idealAnswer', ignoreCase: true },
      },
    },
  },
};

/** Bodies that change a metric of each evaluation type. */
const changes: Record<EvalType, object> = {
  ai: { temperature: null, votes: 5 },
  human: { annotators: 3 },
  heuristic: { name: 'Same answer, any case' },
};

/** Returns an example of the creation of a metric of this shape. */
export function exampleCreation(evalType: EvalType, outputType: OutputType) {
  const { name, ...rest } = creations[evalType][outputType];
  return { name, evalType, outputType, ...rest };
}

/** Returns an example of the change of a metric of this shape. */
export const exampleChange = (evalType: EvalType, outputType: OutputType) => ({
  evalType,
  outputType,
  ...(evalType === 'heuristic' && outputType !== 'boolean'
    ? { passingThreshold: outputType === 'int' ? 3 : 0.7 }
    : changes[evalType]),
});

/** Returns an example of a metric of this shape, as it is read. */
export const exampleMetric = (evalType: EvalType, outputType: OutputType) => ({
  id: exampleIds.metric,
  description: null,
  guidelines: '',
  ...(evalType === 'ai' ? { temperature: 0 } : {}),
  ...exampleCreation(evalType, outputType),
});
