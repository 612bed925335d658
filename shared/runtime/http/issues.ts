import type { Issue } from '@assay/contracts/failure';
import type { z } from 'zod';
import { pointerTo } from '../json/pointer.ts';

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
    .slice(0, issuesMax)
    .map((issue) => ({ path: locate(issue.path), message: sentence(issue) }));

export const queryPlace = (path: PropertyKey[]): string => `?${String(path[0] ?? '')}`;

function sentence(issue: z.core.$ZodIssue): string {
  if (
    issue.input === undefined &&
    (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'custom')
  ) {
    if (issue.message.startsWith('must ')) return issue.message;
    return isMissing(issue) ? 'is required' : issue.message;
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}, but it is ${article(kindOf(issue.input))}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return `must ${bound('at least', issue.minimum, issue.origin, issue.inclusive)}`;
    case 'too_big':
      return `must ${bound('at most', issue.maximum, issue.origin, issue.inclusive)}`;
    case 'custom':
      return issue.message.startsWith('must ') ? issue.message : 'must be an object';
    case 'invalid_format':
      return issue.message.startsWith('must ') ? issue.message : `must be a valid ${issue.format}`;
    default:
      return issue.message;
  }
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
