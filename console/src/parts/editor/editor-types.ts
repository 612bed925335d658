export type Language = 'jinja' | 'javascript' | 'typescript' | 'python';

/** The names that can follow a path such as `['outputs', 'steps']`; after none, the variables. */
export type MembersAt = (path: readonly string[]) => string[];

/** A problem of the text, at a place that is counted from 1. */
export interface EditorProblem {
  line: number;
  column: number;
  message: string;
  severity: 'error' | 'warning';
}
