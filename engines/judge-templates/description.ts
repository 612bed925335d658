import type { JudgeTemplate } from './template.ts';

/** The description of a metric that is made from a template. */
export const descriptionOf = (name: string, { summary, version }: JudgeTemplate): string =>
  `${summary}. Adopted from the template ${name}, version ${version}.`;
