import { templateLimits } from './limits.ts';
import { findNameFaults } from './names.ts';
import { isFaulty, parseTemplate } from './parse.ts';
import { placeOf } from './place.ts';
import type { Subject } from './variables.ts';

/** A fault of a template with its place: lines and columns from 1, columns in characters. */
export interface TemplateProblem {
  line: number;
  column: number;
  message: string;
}

/**
 * Returns the problems that make a prompt template unusable: every fault of its Jinja, or else every
 * unknown name in it (up to 20, in their order). Each message continues a sentence that
 * starts with the template's name ("has a ..."). Takes time in proportion to the template's length,
 * and no more for hostile templates. Which names are known depends on the subject.
 */
export function checkTemplate(source: string, subject: Subject = 'record'): TemplateProblem[] {
  const program = parseTemplate(source);
  const faults = isFaulty(program)
    ? program.faults
    : findNameFaults(program, subject).slice(0, templateLimits.problemsMax);
  return faults.map(({ at, message }) => ({ ...placeOf(source, at), message }));
}

export { findUnknownFields, readsRecord, unknownField } from './record-paths.ts';
