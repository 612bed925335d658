import type { Outcome } from '../rules.ts';
import type { RunTitle } from '../run-titles.ts';

export const conclusions: Record<Outcome, string> = {
  passed: 'passed',
  worse: 'worse',
  unknown: 'could not tell',
};

/** "Prompt 14 (019a…)" */
export const titleOf = ({ id, name }: RunTitle): string =>
  name === undefined ? id : `${name} (${id})`;

/** The date, system version and labels of a run: "2026-11-20 10:12 UTC, Support bot · Version 3, branch main". */
export function descriptionOf({
  createdAt,
  part,
  system,
  version,
  branch,
  commit,
}: RunTitle): string {
  return [
    `${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
    ...(part === undefined ? [] : [part]),
    ...(version === undefined ? [] : [system === undefined ? version : `${system} · ${version}`]),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(commit === undefined ? [] : [`commit ${commit.slice(0, 12)}`]),
  ].join(', ');
}

/** A score as people read it. */
export const scoreText = (value: boolean | number): string =>
  typeof value === 'boolean' ? (value ? 'pass' : 'fail') : String(Number(value.toPrecision(4)));
