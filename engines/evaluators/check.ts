import { escapeSegment } from '@assay/json/pointer';
import { writeJson } from '@assay/json/write';
import { catalogue, type Evaluator, sharedOptions } from './catalogue.ts';
import type { Builtin, OutputType, Problem, SchemaChecker } from './evaluation.ts';
import type { Option } from './options.ts';
import { quote } from './quote.ts';

const optionsPath = '/builtin/options';

/**
 * All that is wrong with a metric's `builtin` when it is created or changed; none when it can be
 * evaluated.
 */
export async function checkBuiltin({
  builtin,
  outputType,
  schemaChecker,
}: {
  builtin: Builtin;
  outputType: OutputType;
  schemaChecker: SchemaChecker;
}): Promise<Problem[]> {
  const problems = findProblems({ builtin, outputType });
  const schemaPath = `${optionsPath}/schema`;
  const isSchema =
    builtin.name === 'json_schema' &&
    builtin.options?.schema !== undefined &&
    problems.every(({ path }) => path !== schemaPath);
  if (!isSchema) return problems;
  const issues = await schemaChecker.check(writeJson(builtin.options!.schema));
  return [
    ...problems,
    ...issues.map(({ path, message }) => ({ path: `${schemaPath}${path}`, message })),
  ];
}

/** As `checkBuiltin`, but for whether a schema is one. */
export function findProblems({
  builtin,
  outputType,
}: {
  builtin: Builtin;
  outputType: OutputType;
}): Problem[] {
  const evaluator = catalogue.get(builtin.name);
  if (!evaluator) {
    const known = [...catalogue.keys()].join(', ');
    return [
      {
        path: '/builtin/name',
        message: `No evaluator has the name ${quote(builtin.name)}; there are ${known}.`,
      },
    ];
  }
  const options = builtin.options ?? {};
  return [
    ...misfit(builtin.name, evaluator, outputType),
    ...missing(evaluator, options, outputType),
    ...wrong(builtin.name, evaluator, options, outputType),
  ];
}

function misfit(name: string, { gives }: Evaluator, outputType: OutputType): Problem[] {
  if (outputType !== 'int') return [];
  const given = gives === 'boolean' ? 'true or false' : 'a number between 0 and 1';
  const fitting =
    gives === 'boolean'
      ? 'a boolean or float metric'
      : 'a float metric, or in a boolean one with a threshold';
  return [
    {
      path: '/builtin/name',
      message: `${name} gives ${given}, and an int metric takes whole numbers: use it in ${fitting}.`,
    },
  ];
}

function missing(
  { gives, required }: Evaluator,
  options: Record<string, unknown>,
  outputType: OutputType,
): Problem[] {
  const wanted = takesThreshold(gives, outputType) ? [...required, 'threshold'] : required;
  return wanted
    .filter((option) => !Object.hasOwn(options, option))
    .map((option) => ({
      path: `${optionsPath}/${option}`,
      message:
        option === 'threshold'
          ? 'A boolean metric needs the value, 0 to 1, from which on the output passes.'
          : 'Is required.',
    }));
}

function wrong(
  name: string,
  evaluator: Evaluator,
  options: Record<string, unknown>,
  outputType: OutputType,
): Problem[] {
  const known = optionsFor(evaluator, outputType);
  return Object.entries(options).flatMap(([option, value]) => {
    const { problemOf } = known.get(option) ?? {};
    const message = problemOf
      ? problemOf(value)
      : `${name} has no such option here; it has ${[...known.keys()].join(', ')}.`;
    return message === undefined
      ? []
      : [{ path: `${optionsPath}/${escapeSegment(option)}`, message }];
  });
}

const optionsFor = (
  { gives, options, readsExpected }: Evaluator,
  outputType: OutputType,
): Map<string, Option> =>
  new Map<string, Option>([
    ['output', sharedOptions.output],
    ...(readsExpected ? [['expected', sharedOptions.expected] as const] : []),
    ...Object.entries(options),
    ...(takesThreshold(gives, outputType) ? [['threshold', sharedOptions.threshold] as const] : []),
  ]);

const takesThreshold = (gives: Evaluator['gives'], outputType: OutputType): boolean =>
  gives === 'float' && outputType === 'boolean';
