import { type Issue, invalid } from '@assay/contracts/failure';
import type { OutputType } from '@assay/contracts/metrics';
import type { MetricBody, MetricChange, Scoring } from './scoring.ts';

interface Parts {
  checkTemplate: (source: string) => { line: number; column: number; message: string }[];
  checkBuiltin: (wanted: { builtin: { name: string; options?: Record<string, unknown> }; outputType: OutputType }) => Promise<Issue[]>;
}

export type Checks = ReturnType<typeof createChecks>;

/** What of a metric the contract's schema cannot tell. */
export function createChecks({ checkTemplate, checkBuiltin }: Parts) {
  /** @throws VALIDATION_ERROR for a template that does not parse, with line and column, and for a built-in evaluator that cannot work. */
  async function checkParts(body: MetricBody | MetricChange): Promise<void> {
    const template = body.evalType === 'ai' ? body.promptTemplate : undefined;
    const builtin = body.evalType === 'heuristic' ? body.builtin : undefined;
    const inTemplate = template === undefined ? [] : checkTemplate(template).map((problem) => ({ path: '/promptTemplate', ...problem }));
    const inBuiltin = builtin ? await checkBuiltin({ builtin, outputType: body.outputType }) : [];
    const issues = [...inTemplate, ...inBuiltin];
    if (issues.length > 0) throw invalid(issues);
  }

  /** @throws VALIDATION_ERROR where a change names other types than the metric's own. */
  function checkTypes({ evalType, outputType }: Scoring, change: MetricChange): void {
    const issues: Issue[] = [];
    if (change.evalType !== evalType) issues.push({ path: '/evalType', message: `must be the metric's own, ${evalType}` });
    if (change.outputType !== outputType) issues.push({ path: '/outputType', message: `must be the metric's own, ${outputType}` });
    if (issues.length > 0) throw invalid(issues);
  }

  return { checkParts, checkTypes };
}
