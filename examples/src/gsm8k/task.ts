import { whole } from '@assay/client/figures';
import type { FlipView } from '../comparing.ts';
import type { EvaluatedVersion, Evaluation } from '../evaluation.ts';
import { models, type Problem } from './solutions.ts';

const correctAnswer = 'Correct answer';

const text = { type: 'string', minLength: 1 };

/** The published solutions of four models, judged by the number after the last "A:". */
export const gsm8kTask = (problems: Problem[]): Evaluation => ({
  title: 'GSM8K',
  description:
    'Published solutions of four models to the 1,319 test problems of GSM8K (Cobbe et al., 2021)',
  testset: {
    name: 'GSM8K test problems',
    description: 'Word problems of grade school mathematics, each with a reference solution',
    jsonSchema: {
      type: 'object',
      properties: { question: text, solution: text },
      required: ['question', 'solution'],
    },
    fieldMapping: { inputs: ['question'], expected: ['solution'], metadata: [] },
  },
  testcases: problems.map(({ question, ground_truth: solution }) => ({ question, solution })),
  metrics: [
    {
      name: correctAnswer,
      description: 'The number after the last "A:" is that of the reference solution.',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: {
        name: 'number_close',
        options: { after: 'A:', output: '/solution', expected: '/solution' },
      },
    },
  ],
  system: {
    name: 'Word problem solver',
    description: 'The models of the paper, with and without verification',
  },
  versions: models.map((model) => ({
    name: model,
    config: { model },
    answer: ({ index }) => ({ solution: problems[index]![model].solution }),
  })),
});

/** Shows a problem, and the answers of two models to it. */
export const solutionView: FlipView = {
  metric: correctAnswer,
  title: 'PROBLEM',
  input: ({ question }) => String(question),
  output: ({ solution }) => String(solution).split('A:').at(-1)!.trim(),
};

/**
 * Says that the figures are those of the labels in the file; throws one sentence when they are not.
 */
export function compareWithLabels({
  problems,
  versions,
}: {
  problems: Problem[];
  versions: EvaluatedVersion[];
}): string {
  for (const [index, model] of models.entries()) {
    const labelled = problems.filter((problem) => problem[model].is_correct).length;
    const { mean, count } = versions[index]!.metrics[0]!;
    const found = Math.round((mean ?? 0) * count);
    if (found === labelled) continue;
    throw new Error(
      `${model}: ${whole(found)} answers were found correct, and the file labels ${whole(labelled)} so.`,
    );
  }
  return 'These are the counts that the authors of the data published.';
}
