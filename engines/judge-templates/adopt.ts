import { escapeSegment, isPointer, pointerSegments } from '@assay/json/pointer';
import { catalogue } from './catalogue.ts';
import { descriptionOf } from './description.ts';
import { ownFields, type ProjectFields } from './own-fields.ts';
import { promptTemplateOf } from './prompt.ts';
import type { JudgeTemplate } from './template.ts';

/** A template by its name, and where the records of its adopter have the fields. */
export interface Adoption {
  template: string;
  name?: string | undefined;
  /** By the field's name; one that is left out stands where the project, else the template, says. */
  fields?: Record<string, unknown> | undefined;
  /** Null where the project has no testset, or its fields are not known. */
  projectFields?: ProjectFields | null;
  evalModelName?: string | undefined;
}

/** The part of a metric that comes from a template; all of it belongs to the adopter. */
export interface AdoptedMetric {
  name: string;
  description: string;
  evalType: 'ai';
  outputType: JudgeTemplate['outputType'];
  passingThreshold?: number;
  guidelines: string;
  promptTemplate: string;
  evalModelName?: string;
}

export interface AdoptionIssue {
  path: string;
  message: string;
}

/** A field that the judge reads elsewhere than its template says. */
export interface MovedField {
  field: string;
  from: string;
  to: string;
}

type AdoptionResult =
  | { ok: true; metric: AdoptedMetric; moved: MovedField[] }
  | { ok: false; issues: AdoptionIssue[] };

const pointerCharactersMax = 1000;

/** Makes a metric of a template, or says all that is wrong with the adoption. */
export function adoptTemplate({
  template,
  name,
  fields = {},
  projectFields,
  evalModelName,
}: Adoption): AdoptionResult {
  const found = catalogue.get(template);
  if (!found) {
    const known = [...catalogue.keys()].join(', ');
    return {
      ok: false,
      issues: [{ path: '/template', message: `is no template; there are ${known}` }],
    };
  }
  const issues = Object.entries(fields).flatMap(([field, pointer]) => {
    const message = problemOf(found, field, pointer);
    return message === undefined ? [] : [{ path: `/fields/${escapeSegment(field)}`, message }];
  });
  if (issues.length > 0) return { ok: false, issues };
  const own = projectFields ? ownFields(found, Object.keys(fields), projectFields) : {};
  const pointers = Object.entries(found.fields).map(([field, { pointer }]) => [
    field,
    (fields as Record<string, string>)[field] ?? own[field] ?? pointer,
  ]);
  return {
    ok: true,
    metric: {
      name: name ?? found.title,
      description: descriptionOf(template, found),
      evalType: 'ai',
      outputType: found.outputType,
      ...(found.passingThreshold !== undefined && { passingThreshold: found.passingThreshold }),
      guidelines: found.guidelines,
      promptTemplate: promptTemplateOf(found, Object.fromEntries(pointers)),
      ...(evalModelName !== undefined && { evalModelName }),
    },
    moved: Object.entries(own).map(([field, to]) => ({
      field,
      from: found.fields[field]!.pointer,
      to,
    })),
  };
}

function problemOf({ fields }: JudgeTemplate, field: string, pointer: unknown): string | undefined {
  if (!Object.hasOwn(fields, field))
    return `is no field of the template; it has ${Object.keys(fields).join(', ')}`;
  if (!isRecordPointer(pointer))
    return 'must be a JSON Pointer into the record, such as /inputs/question: it begins with /inputs, /expected or /outputs';
  if (pointer.length > pointerCharactersMax)
    return `must have at most ${pointerCharactersMax} characters`;
  return undefined;
}

const isRecordPointer = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.isWellFormed() &&
  isPointer(value) &&
  ['inputs', 'expected', 'outputs'].includes(pointerSegments(value)[0] ?? '');
