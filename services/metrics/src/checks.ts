import { Failure, type Issue, invalid } from '@assay/contracts/failure';
import { type Code, type OutputType, outputType as outputTypes } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import { isNumeric, scaleIssues, statedScale } from '@assay/contracts/scale';
import type { MetricBody, MetricChange, MetricDefinition } from './metric-definition.ts';

interface Dependencies {
  checkTemplate: (
    source: string,
    subject: 'record' | 'pair',
  ) => { line: number; column: number; message: string }[];
  checkBuiltin: (wanted: {
    builtin: { name: string; options?: JsonText | undefined };
    outputType: OutputType;
  }) => Promise<Issue[]>;
  /** Finds nothing in a language that cannot be checked here. */
  checkCode: (code: Code) => Promise<{ line?: number; column?: number; message: string }[]>;
}

/**
 * Runs checks of one body, and returns the faults of all of them together.
 * @throws whatever is no fault of the body.
 */
export async function collectIssues(checks: (() => void | Promise<void>)[]): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'VALIDATION_ERROR')) throw error;
      issues.push(...(error.details.issues as Issue[]));
    }
  }
  return issues;
}

export type Checks = ReturnType<typeof createChecks>;

const twoEvaluators = {
  path: '/code',
  message: 'cannot stand beside `builtin`: a metric has either a built-in evaluator or code',
};

/** Creates the checks of a metric that the contract's schema cannot express. */
export function createChecks({ checkTemplate, checkBuiltin, checkCode }: Dependencies) {
  /**
   * @throws VALIDATION_ERROR for a template or code that does not parse, with line and column, for
   * a built-in evaluator that cannot work, and for one beside code. A template can read
   * the parts of its subject.
   */
  async function checkParts(
    body: MetricBody | MetricChange,
    subject: 'pair' | null,
  ): Promise<void> {
    const issues =
      body.evalType === 'ai'
        ? inTemplate(body.promptTemplate, subject ?? 'record')
        : body.evalType === 'heuristic'
          ? await inEvaluator(body)
          : [];
    if (issues.length > 0) throw invalid(issues);
  }

  const inTemplate = (template: string | undefined, subject: 'record' | 'pair'): Issue[] =>
    template === undefined
      ? []
      : checkTemplate(template, subject).map((problem) => ({
          path: '/promptTemplate',
          ...problem,
        }));

  async function inEvaluator({ builtin, code, outputType }: HeuristicBody): Promise<Issue[]> {
    const beside = builtin && code ? [twoEvaluators] : [];
    if (builtin) return [...beside, ...(await checkBuiltin({ builtin, outputType }))];
    return code
      ? (await checkCode(code)).map((problem) => ({ path: '/code/source', ...problem }))
      : [];
  }

  /** @throws VALIDATION_ERROR for a scale that is none, and for a threshold outside of it. */
  function checkScale(scoring: MetricDefinition): void {
    const issues = [...scaleIssues(scoring), ...besideBuiltin(scoring)];
    if (issues.length > 0) throw invalid(issues);
  }

  /** @throws VALIDATION_ERROR where a change names other types, or a subject, than the metric's own. */
  function checkTypes(
    { evalType, outputType, subject }: MetricDefinition,
    change: MetricChange,
  ): void {
    const issues: Issue[] = [];
    if (change.evalType !== evalType)
      issues.push({ path: '/evalType', message: `must be the metric's own, ${evalType}` });
    if (change.outputType !== outputType)
      issues.push({ path: '/outputType', message: `must be the metric's own, ${outputType}` });
    const own = subject ?? 'record';
    if (change.evalType === 'ai' && (change.subject ?? own) !== own)
      issues.push({ path: '/subject', message: `must be the metric's own, ${own}` });
    if (issues.length > 0) throw invalid(issues);
  }

  /**
   * Returns the faults of the parts of a body that its schema refuses, but for the parts at which
   * the schema has faults.
   */
  async function checkRefused(
    sent: unknown,
    refused: Issue[],
    before?: MetricDefinition,
  ): Promise<Issue[]> {
    const isSound = (path: string) => !refused.some((issue) => issue.path.startsWith(path));
    const body = asObject(sent);
    const ofScale = inRefusedScale({ ...scaleMembers(before), ...body }, isSound);
    const { evalType, promptTemplate, code, subject } = body;
    if (evalType === 'ai' && typeof promptTemplate === 'string' && isSound('/promptTemplate'))
      return [...ofScale, ...inTemplate(promptTemplate, subject === 'pair' ? 'pair' : 'record')];
    const { language, source } = asObject(code);
    const isCode = typeof language === 'string' && typeof source === 'string';
    if (evalType !== 'heuristic' || !isCode || !isSound('/code')) return ofScale;
    const problems = await checkCode({ language, source } as Code);
    return [...ofScale, ...problems.map((problem) => ({ path: '/code/source', ...problem }))];
  }

  return { checkParts, checkScale, checkTypes, checkRefused };
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Built-in evaluators give shares: on another scale they would say something else. */
function besideBuiltin({ builtin, outputType, ...scoring }: MetricDefinition): Issue[] {
  if (builtin === null || !isNumeric(outputType)) return [];
  return Object.keys(statedScale({ outputType, ...scoring }))
    .filter((member) => member !== 'lowerIsBetter')
    .map((member) => ({
      path: `/${member}`,
      message: 'must be left out: a built-in evaluator gives numbers from 0 to 1',
    }));
}

const scaleMembers = (scoring: MetricDefinition | undefined) =>
  scoring && { ...statedScale(scoring), passingThreshold: scoring.passingThreshold };

/** The faults of the scale of a body that is refused for other members. */
function inRefusedScale(
  body: Record<string, unknown>,
  isSound: (path: string) => boolean,
): Issue[] {
  const { success, data: outputType } = outputTypes.safeParse(body.outputType);
  if (!success || !['/min', '/max', '/passingThreshold'].every(isSound)) return [];
  const { min, max, passingThreshold = null } = body as Partial<MetricDefinition>;
  return scaleIssues({ outputType, min, max, passingThreshold });
}

type HeuristicBody = Extract<MetricBody | MetricChange, { evalType: 'heuristic' }>;
