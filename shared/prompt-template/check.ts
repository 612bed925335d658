import { isFault } from './fault.ts';
import { templateLimits } from './limits.ts';
import { findNameFaults } from './names.ts';
import { parseTemplate } from './parse.ts';
import { placeOf } from './place.ts';

/** A fault of a template with its place: lines and columns from 1, columns in characters. */
export interface TemplateProblem {
  line: number;
  column: number;
  message: string;
}

/**
 * What keeps a prompt template from being used: the first fault of its Jinja, or else every name in it that means nothing (up to
 * 20, in their order). Messages go on from the template's name ("has a …"). Takes time in proportion to the template's length, and no
 * more for hostile ones.
 */
export function checkTemplate(source: string): TemplateProblem[] {
  const program = parseTemplate(source);
  const faults = isFault(program) ? [program] : findNameFaults(program).slice(0, templateLimits.problemsMax);
  return faults.map(({ at, message }) => ({ ...placeOf(source, at), message }));
}
