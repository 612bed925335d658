import type { Issue } from '@assay/contracts/failure';
import { pointerTo } from '@assay/json/pointer';
import type { z } from 'zod';

/** At most this many issues are told: a body of a thousand wrong items is one mistake. */
const issuesMax = 100;

/**
 * Converts zod's issues into the contract's. `locate` turns a path into the place that a client
 * knows.
 */
export const issuesOf = (
  error: z.ZodError,
  locate: (path: PropertyKey[]) => string = pointerTo,
): Issue[] =>
  error.issues
    .flatMap(withoutUnions)
    .slice(0, issuesMax)
    .map((issue) => ({ path: locate(issue.path), message: sentence(issue) }));

export const queryPlace = (path: PropertyKey[]): string => `?${String(path[0] ?? '')}`;

/** Of the kinds that a value may have, the issues of the one that it is. */
function withoutUnions(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message.startsWith('must ')) return [issue];
  const meant = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  if (meant.length !== 1) return [issue];
  return meant[0]!
    .map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
    .flatMap(withoutUnions);
}

function sentence(issue: z.core.$ZodIssue): string {
  if (
    issue.input === undefined &&
    ['invalid_type', 'invalid_value', 'invalid_union', 'custom'].includes(issue.code)
  ) {
    if (issue.message.startsWith('must ')) return issue.message;
    return isMissing(issue) ? 'is required' : issue.message;
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}, but it is ${article(kindOf(issue.input))}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_union':
      if (issue.message.startsWith('must ')) return issue.message;
      if ('options' in issue) return `must be ${oneOf(issue.options as unknown[])}`;
      return eitherOf(issue.errors.flatMap(([first]) => (first ? [sentence(first)] : [])));
    case 'too_small':
      return `must ${bound('at least', issue.minimum, issue.origin, issue.inclusive)}`;
    case 'too_big':
      return `must ${bound('at most', issue.maximum, issue.origin, issue.inclusive)}`;
    case 'custom':
      return issue.message.startsWith('must ') ? issue.message : 'must be an object';
    case 'invalid_key':
      return issue.issues[0] ? `its name ${sentence(issue.issues[0])}` : issue.message;
    case 'invalid_format':
      return issue.message.startsWith('must ') ? issue.message : `must be a valid ${issue.format}`;
    default:
      return issue.message;
  }
}

const oneOf = (values: unknown[]): string =>
  (values.length > 1 ? 'one of ' : '') + values.map((value) => JSON.stringify(value)).join(', ');

/** "must be a boolean or a number, but it is a string". */
function eitherOf(sentences: string[]): string {
  const [but] = sentences.flatMap((one) => one.match(/, but it is .*$/) ?? []);
  const wanted = new Set(sentences.map((one) => one.replace(/^must |, but it is .*$/g, '')));
  return `must ${[...wanted].join(' or ').replaceAll(' or be ', ' or ')}${but ?? ''}`;
}

// zod reports the input only where `reportInput` is set, as the runtime does.
const isMissing = (issue: z.core.$ZodIssue): boolean => issue.path.length > 0;

function bound(
  limit: string,
  value: number | bigint,
  origin: string,
  inclusive: boolean | undefined,
): string {
  if (origin === 'string') return `have ${limit} ${value} character${value === 1 ? '' : 's'}`;
  if (origin === 'array' || origin === 'set')
    return `have ${limit} ${value} item${value === 1 ? '' : 's'}`;
  return inclusive === false
    ? `be ${limit === 'at least' ? 'more' : 'less'} than ${value}`
    : `be ${limit} ${value}`;
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

function article(kind: string): string {
  if (kind === 'null' || kind === 'undefined') return kind;
  const word = kind === 'int' ? 'integer' : kind;
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}
