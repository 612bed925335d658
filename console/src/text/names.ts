import type { ItemOf } from '@assay/client/operations';
import { formatInstant } from './format.ts';

/** A run in words: its name, or when it was. */
export const runName = ({ name, createdAt }: { name?: string | null; createdAt: string }): string =>
  name || `Run of ${formatInstant(createdAt)}`;

/** The beginning of an id, for a thing whose name is not known. */
export const shortId = (id: string): string => `${id.slice(0, 8)}…`;

/** The labels of a run, each as `key:value`. */
export const labelTexts = ({ labels = {} }: { labels?: Record<string, string> }): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}:${value}`);

/** Returns the names of members by their ids; an id where it is no member's. */
export function memberNames(members: ItemOf<'/members'>[] = []): (userId: string) => string {
  const names = new Map(members.map(({ userId, name, email }) => [userId, name ?? email]));
  return (userId) => names.get(userId) ?? userId;
}
