import type { Identity } from './define.ts';
import { Failure, invalidAt } from './failure.ts';

/** @throws VALIDATION_ERROR for an annotation that says nothing. */
export function checkIsSaid({
  rating,
  comment,
}: {
  rating?: boolean | null | undefined;
  comment?: string | null | undefined;
}): void {
  if (rating == null && !comment) throw invalidAt('', 'must have a rating or a comment');
}

/** @throws FORBIDDEN for everybody but the author of an annotation. */
export function checkMayChange({ userId }: Identity, annotation: { userId: string }): void {
  if (annotation.userId !== userId)
    throw new Failure('FORBIDDEN', 'Only its author may change an annotation.');
}

/** @throws FORBIDDEN for a member who did not make the annotation and is no admin. */
export function checkMayDelete({ userId, role }: Identity, annotation: { userId: string }): void {
  if (annotation.userId !== userId && role !== 'admin')
    throw new Failure('FORBIDDEN', 'Only its author or an admin may delete an annotation.');
}
